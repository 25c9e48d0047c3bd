"""What a document states about its own place among its versions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hint:
    """A sentence of the prose that says that something replaces something, and the `reference` that it names."""

    reference: str
    sentence: str

    def stored(self) -> str:
        """As one text, which `of` reads back: the reference, a line feed, the sentence."""
        return f"{self.reference}\n{self.sentence}"

    @classmethod
    def of(cls, stored: str) -> Hint:
        reference, _, sentence = stored.partition("\n")
        return cls(reference, sentence)


@dataclass(frozen=True, slots=True)
class Lineage:
    """Statements as the source writes them, nothing concluded from them yet.

    `supersedes` and `superseded_by` hold references in the source's own words (`PEP 387`, `036-multi-cluster.md`, a
    URL). `aliases` are other names and addresses of this very document (its number, addresses that redirect to it).
    `status` is the state that it claims (`Superseded`, `Draft`, `Final`). Hints are what its prose says: reason enough
    to ask a person, never to decide.
    """

    family: str | None = None
    version: str | None = None
    status: str | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    hints_supersedes: tuple[Hint, ...] = ()
    hints_superseded_by: tuple[Hint, ...] = ()


NO_LINEAGE = Lineage()

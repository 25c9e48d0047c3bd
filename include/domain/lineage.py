"""What a document states about its own place among its versions."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Lineage:
    """Statements as the source writes them, nothing concluded from them yet.

    `supersedes` and `superseded_by` hold references in the source's own words (`PEP 387`, `036-multi-cluster.md`, a
    URL). `aliases` are other names and addresses of this very document (its number, addresses that redirect to it).
    `status` is the state that it claims (`Superseded`, `Draft`, `Final`).
    """

    family: str | None = None
    version: str | None = None
    status: str | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()


NO_LINEAGE = Lineage()

"""What a person's answer for one family means for its documents. It is recorded in their hand, which the resolver never
overrules. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from include.domain.documents import Status
from include.domain.errors import ConfigError
from include.domain.metadata import Patch
from include.families.members import FamilyDecision
from include.services.resolving import Resolved


@dataclass(frozen=True, slots=True)
class Answer:
    """`head` holds, and replaces the documents of `supersede`; none named: all others of the family. Without a head the
    documents are no versions of one another."""

    family: str
    head: str = ""
    supersede: tuple[str, ...] = ()


def patches_of_answer(decision: FamilyDecision, answer: Answer) -> Mapping[str, Patch]:
    """What the answer means for each document. Raises ConfigError when it names one that is not in the family."""
    named = [answer.head, *answer.supersede] if answer.head else []
    strangers = [doc_id for doc_id in named if doc_id not in decision.members]
    if strangers or answer.head in answer.supersede:
        problem = f"{', '.join(strangers)} is not in it" if strangers else f"{answer.head} cannot replace itself"
        raise ConfigError(
            f"{decision.source}: family {decision.family!r}: {problem}; its documents are {', '.join(decision.members)}"
        )
    if not answer.head:
        # Each in a family of its own.
        return {doc_id: {"doc_family": doc_id} for doc_id in decision.members}
    older = answer.supersede or tuple(doc_id for doc_id in decision.members if doc_id != answer.head)
    replaced = {
        "doc_family": decision.family,
        "status": Status.SUPERSEDED.value,
        "superseded_by": [answer.head],
        "is_current": False,
        "is_canonical": False,
        "supersedes": None,
    }
    holds = {
        "doc_family": decision.family,
        "status": Status.PUBLISHED.value,
        "supersedes": sorted(older),
        "is_current": True,
        "is_canonical": True,
        "superseded_by": None,
    }
    return {answer.head: holds, **dict.fromkeys(sorted(older), replaced)}


def family_named(resolved: Resolved, name: str) -> FamilyDecision:
    """Raises ConfigError when the source has no such family."""
    found = next((each for each in resolved.decisions if each.family == name), None)
    if found is None:
        raise ConfigError(
            f"{resolved.source}: there is no family {name!r} among {len(resolved.decisions)}; `truecopy families "
            f"{resolved.source}` lists them",
            source=resolved.source,
            family=name,
        )
    return found

"""What must hold before a source's "there is no such document" is believed.

A 200 proves no identity: many a CMS answers a revoked credential with the anonymous view. A 404 proves no deletion: a
lost table says 404 to living ids. So the source says who it takes us for, and documents that are known to live (the
canaries) answer at that very moment.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from include.domain.documents import Presence
from include.domain.errors import (
    DocumentGone,
    DocumentNotPublic,
    DocumentUnreadable,
    SourceUnavailable,
    TruecopyError,
)

CANARIES = 3
STANDING_LASTS = 5.0
"""Seconds for which an answer about our standing is good enough to believe the pages that are read meanwhile."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Who the source takes us for. `doubt` says in words why that is not certain, `scope` is that of `Proof.scope`."""

    verified: bool
    doubt: str = ""
    scope: str = ""


class Witnesses:
    """The standing of our credential and the canaries of one source.

    `configured` are ids that the user vouches for; without them each proven listing chooses some of its own.
    `ask_standing` asks the source who we are. `ask_canary` returns in words what is wrong with a document that should
    be alive and public, "" when it is; it may raise. `elapsed` tells the time in seconds.
    """

    def __init__(
        self,
        source: str,
        configured: Sequence[str],
        *,
        ask_standing: Callable[[], Standing],
        ask_canary: Callable[[str], str],
        elapsed: Callable[[], float] = time.monotonic,
    ) -> None:
        self._source = source
        self._is_configured = bool(configured)
        self._groups: tuple[tuple[str, ...], ...] = (tuple(configured),) if configured else ()
        self._ask_standing = ask_standing
        self._ask_canary = ask_canary
        self._elapsed = elapsed
        self._standing: Standing | None = None
        self._asked_at = 0.0
        self._are_known_alive = False

    def standing(self, *, anew: bool = False) -> Standing:
        """Asked once and remembered, until it is asked `anew`. Raises SourceUnavailable."""
        if self._standing is None or anew:
            self._standing = None  # nothing is remembered if the question fails
            self._asked_at = self._elapsed()
            self._standing = self._ask_standing()
        return self._standing

    def standing_after(self, before: Standing, reading: str = "the list was") -> tuple[Standing, list[str]]:
        """Who we are after a listing that began as `before`, and what is wrong with that in words: a credential may be
        revoked, or lose rights, between two pages. Raises SourceUnavailable."""
        after = self.standing(anew=True) if before.verified else before
        if after.doubt:
            return after, [after.doubt]
        if after.scope != before.scope:
            return after, [f"our rights changed while {reading} read: {before.scope} -> {after.scope}"]
        return after, []

    def presence(self, is_public: Callable[[], bool | None]) -> Presence:
        """The answer of a probe. `is_public` asks for the document and says whether everybody may see it, None where
        that cannot be told; it raises `error_for` what is absent. Never raises itself: whatever goes wrong is doubt."""
        try:
            public = is_public()
            if public is False:
                return Presence.NOT_PUBLIC if self.standing().verified else Presence.UNKNOWN
            return Presence.PRESENT if public else Presence.UNKNOWN
        except DocumentGone:
            return Presence.GONE
        except DocumentNotPublic:
            return Presence.NOT_PUBLIC
        except Exception:  # noqa: BLE001 - a probe promises never to raise
            return Presence.UNKNOWN

    def admit(self, doc_id: str, *, public: bool | None, why: str) -> None:
        """To be called before the text of a page that was read is used. Raises DocumentNotPublic for a page that is not
        for everybody, DocumentUnreadable where that cannot be told, and SourceUnavailable if we are not who we were: a
        credential that ran out meanwhile may have got half of the text, under the version of the whole."""
        facts = {"source": self._source, "doc_id": doc_id}
        if public is False:
            raise DocumentNotPublic(f"{self._source}: {doc_id} is not public ({why})", **facts)
        if public is None:
            raise DocumentUnreadable(f"{self._source}: {doc_id}: its state is unknown ({why})", **facts)
        standing = self.standing(anew=self._elapsed() - self._asked_at >= STANDING_LASTS)
        if not standing.verified:
            raise SourceUnavailable(
                f"{self._source}: {doc_id} was read, but not as who we are: {standing.doubt}",
                source=self._source,
                doc_id=doc_id,
            )

    def choose(self, groups: Iterable[Sequence[str]]) -> None:
        """Canaries from a listing that is proven: a few of each group, one of each group will be asked. One more than
        needed, because a document is never its own witness. Configured canaries stay."""
        if not self._is_configured:
            self._groups = tuple(tuple(random.sample(ids, min(CANARIES + 1, len(ids)))) for ids in groups)
            self._are_known_alive = False

    def error_for(
        self, doc_id: str, *, exists: bool, answer: str, status: int
    ) -> DocumentGone | DocumentNotPublic | SourceUnavailable:
        """What to raise when the source says no: DocumentNotPublic if the document `exists`, DocumentGone if not, as
        long as standing and canaries vouch for the source; SourceUnavailable otherwise. Canaries are asked *after* the
        answer, so that an outage shows in both. `answer` is what the source said, in words."""
        standing = self.standing()
        doubt = standing.doubt or self._doubt_of_canaries(doc_id)
        facts = {"source": self._source, "doc_id": doc_id, "status": status}
        if doubt or not standing.verified:
            return SourceUnavailable(f"{self._source}: {doc_id} {answer}, which proves nothing: {doubt}", **facts)
        if exists:
            return DocumentNotPublic(f"{self._source}: {doc_id} is not for everybody ({answer})", **facts)
        return DocumentGone(f"{self._source}: {doc_id} does not exist ({answer})", **facts)

    def _doubt_of_canaries(self, doc_id: str) -> str:
        """Empty when known documents answer: all of them the first time, one at random of each group from then on."""
        others = [[canary for canary in group if canary != doc_id] for group in self._groups]
        groups = [group if self._is_configured else group[:CANARIES] for group in others if group]
        if not groups:
            return "no other document is known to be alive (option canaries, or list first)"
        asked = [one for group in groups for one in ([random.choice(group)] if self._are_known_alive else group)]
        self._are_known_alive = False
        for canary in asked:
            try:
                problem = self._ask_canary(canary)
            except TruecopyError as error:
                return f"canary {canary} does not answer either ({error})"
            if problem:
                return f"canary {canary} is not public ({problem}); choose another"
        self._are_known_alive = True
        return ""

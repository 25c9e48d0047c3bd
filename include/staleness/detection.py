"""The detector: every document of one source, its evidence, and what is proposed. Pure; input order changes nothing.

    subject -> protected? stop -> signals -> without what a person has kept -> fusion -> stage, review or nothing

What other documents refer to is staged only where somebody has stated in words what takes its place, or the source
states that it has expired. Otherwise it is for review: those who follow the links would miss it. A link that was seen
counts here even where links are not proven to be all there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from include.domain.documents import SEARCHABLE, DocumentKey, Status
from include.staleness.addresses import Answer, address_gone, why_not_believed
from include.staleness.ageing import Ageing, aged, expired
from include.staleness.duplicates import Texts, near_duplicate
from include.staleness.evidence import Candidate, Evidence, Proposal, Signal
from include.staleness.fusion import fuse
from include.staleness.links import Links, live_referrers, orphaned, why_not_proven
from include.staleness.overlaps import Overlap
from include.staleness.protection import why_kept, why_protected, without_kept
from include.staleness.statements import source_says
from include.staleness.subject import Subject
from include.staleness.supersession import is_stated, superseded
from include.staleness.usage import ENOUGH, Enough, Usage, not_retrieved, why_not_enough


def _no_text(key: DocumentKey) -> str:
    raise LookupError(f"{key}: overlaps were given without the texts that they are checked with")


@dataclass(frozen=True, slots=True)
class Observed:
    """What was found out about a source beside its documents' metadata. What is None was not looked at."""

    links: Links | None = None
    usage: Usage | None = None
    answers: Mapping[str, Answer] | None = None
    overlaps: Mapping[DocumentKey, tuple[Overlap, ...]] | None = None
    texts: Texts = _no_text


@dataclass(frozen=True, slots=True)
class Spared:
    """A document that is left alone because somebody wants it so. `why` is a sentence; `evidence` is what speaks
    against it all the same, for those who ask."""

    key: DocumentKey
    why: str
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Detection:
    """What one run finds in one source. `candidates`: those to be staged first, then by score; `spared` by document.
    `not_judged` says of each signal that could not be used in this source, why."""

    source: str
    examined: int
    candidates: tuple[Candidate, ...]
    spared: tuple[Spared, ...] = ()
    not_judged: Mapping[Signal, str] = field(default_factory=dict)

    def of(self, proposal: Proposal) -> tuple[Candidate, ...]:
        return tuple(each for each in self.candidates if each.proposal is proposal)


def detect(
    source: str,
    subjects: Iterable[Subject],
    observed: Observed,
    ageing: Ageing,
    *,
    now: datetime,
    enough: Enough = ENOUGH,
) -> Detection:
    """`subjects` are all indexed documents of the source. Raises ValueError for one of another, or named twice."""
    sight = Sight(source, subjects, observed, ageing, now=now, enough=enough)
    candidates: list[Candidate] = []
    spared: list[Spared] = []
    for _, subject in sorted(sight.shelf.items()):
        evidence = sight.evidence(subject)
        if not evidence:
            continue
        if why := why_protected(subject, ageing, now=now):
            spared.append(Spared(subject.key, why, fuse(evidence).evidence))
            continue
        fresh, kept = without_kept(subject, evidence)
        most, because = sight.limit(subject, fresh)
        fused = fuse(fresh, most=most, because=because)
        if fused.proposal is not None:
            candidates.append(
                Candidate(subject.key, fused.proposal, fused.score, fused.evidence, fused.arithmetic, fused.replacement)
            )
        elif kept:
            spared.append(Spared(subject.key, why_kept(subject, kept), tuple(kept)))
    candidates.sort(key=lambda each: (each.proposal is not Proposal.STAGE, -each.score, each.key))
    return Detection(source, len(sight.shelf), tuple(candidates), tuple(spared), sight.not_judged)


class Sight:
    """All signals over one source. `shelf` are its documents by doc id; `not_judged` says of each signal that says
    nothing in this source, why."""

    def __init__(
        self,
        source: str,
        subjects: Iterable[Subject],
        observed: Observed,
        ageing: Ageing,
        *,
        now: datetime,
        enough: Enough = ENOUGH,
    ) -> None:
        self.shelf: dict[str, Subject] = {}
        for subject in subjects:
            if subject.key.source != source or subject.key.doc_id in self.shelf:
                raise ValueError(f"{subject.key} is not a document of {source}, or is named twice")
            self.shelf[subject.key.doc_id] = subject
        self._observed = observed
        self._ageing = ageing
        self._now = now
        self._live = frozenset(doc_id for doc_id, each in self.shelf.items() if each.status is Status.PUBLISHED)
        readable = sum(each.status in SEARCHABLE for each in self.shelf.values())
        answers = observed.answers
        reasons = {
            Signal.ORPHANED: why_not_proven(observed.links),
            Signal.NOT_RETRIEVED: why_not_enough(observed.usage, readable, enough),
            Signal.ADDRESS_GONE: "no night has read its pages lately" if answers is None else why_not_believed(answers),
            Signal.NEAR_DUPLICATE: "vectors were not compared" if observed.overlaps is None else "",
        }
        self.not_judged = {signal: why for signal, why in reasons.items() if why}

    def evidence(self, subject: Subject) -> list[Evidence]:
        """Everything that speaks against a document, protected or not."""
        return [each for each in self._signals(subject) if each is not None]

    def limit(self, subject: Subject, evidence: Iterable[Evidence]) -> tuple[Proposal, str]:
        """The most that may be proposed on this evidence, and why not more."""
        anchors = {each.signal: each for each in evidence if each.anchor}
        replaced, links = anchors.get(Signal.SUPERSEDED), self._observed.links
        if links is None or Signal.EXPIRED in anchors or (replaced and is_stated(subject, self.shelf)):
            return Proposal.STAGE, ""
        heir = replaced.replacement.doc_id if replaced and replaced.replacement else ""
        referrers = live_referrers(subject, links, self._live, heir=heir)
        if not referrers:
            return Proposal.STAGE, ""
        others = f"{referrers[0]} and {len(referrers) - 1} more link" if len(referrers) > 1 else f"{referrers[0]} links"
        return Proposal.REVIEW, f"{others} to it"

    def _signals(self, subject: Subject) -> Iterator[Evidence | None]:
        observed, now = self._observed, self._now
        yield superseded(subject, self.shelf, now=now)
        yield source_says(subject)
        yield expired(subject, now=now)
        yield aged(subject, self._ageing, now=now)
        if observed.links is not None and Signal.ORPHANED not in self.not_judged:
            yield orphaned(subject, observed.links, self._live)
        if observed.usage is not None and Signal.NOT_RETRIEVED not in self.not_judged:
            yield not_retrieved(subject, observed.usage)
        if observed.answers is not None and Signal.ADDRESS_GONE not in self.not_judged:
            yield address_gone(subject, observed.answers, now=now)
        if observed.overlaps:
            yield near_duplicate(subject, observed.overlaps.get(subject.key, ()), self.shelf, observed.texts)

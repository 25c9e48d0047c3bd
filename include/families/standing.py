"""How a document stands by the state that it claims: in force, on the way, given up, replaced. Pure.

Registers call the same thing by many names, and one name means two things: a *Draft* XEP is used everywhere, a *Draft*
PEP is an idea. So a word only says how sure it is that the text holds, and what is unknown is neutral.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import lru_cache


class Standing(StrEnum):
    IN_FORCE = "in force"
    UNKNOWN = "unknown"  # says nothing, or a word that is not known: as good as in force
    PENDING = "not approved yet"
    STALLED = "put off"
    RETIRED = "given up"
    SUPERSEDED = "superseded"

    @property
    def holds(self) -> bool:
        return self in (Standing.IN_FORCE, Standing.UNKNOWN)

    @property
    def is_over(self) -> bool:
        return self in (Standing.RETIRED, Standing.SUPERSEDED)


_WORDS = {
    Standing.SUPERSEDED: (
        "superseded superceded replaced obsolete obsoleted moved überholt ersetzt abgelöst remplacé remplacée"
        " reemplazado reemplazada sustituido sustituida sostituito sostituita vervangen obsolète obsoleto obsoleta"
    ),
    Standing.RETIRED: (
        "withdrawn rejected retracted retired closed cancelled canceled revoked expired abandoned declined archived"
        " deprecated historic humorous humorus joke fool fools outdated sunset discontinued repealed void eol removed"
        " zurückgezogen abgelehnt aufgehoben ungültig veraltet abrogé abrogée retiré retirée rejeté rejetée périmé"
        " périmée dead derogado derogada retirado retirada rechazado rechazada"
    ),
    Standing.PENDING: (
        "draft drafts drafting proposed proposal provisional experimental review reviewing pending candidate preview"
        " wip idea implementable unreleased upcoming planned entwurf discussion alpha beta rc brouillon projet borrador"
    ),
    Standing.STALLED: "deferred postponed dormant stagnant inactive incomplete paused unmaintained",
    Standing.IN_FORCE: (
        "accepted active approved final finalized deployed complete completed implemented adopted published current"
        " stable released living ratified effective valid enacted live recommended recommendation canonical"
        " authoritative official evergreen standard decided gültig freigegeben"
        " genehmigt verabschiedet approuvé approuvée validé validée adopté adoptée vigente aprobado aprobada"
    ),
}
_STANDING = {word: standing for standing, words in _WORDS.items() for word in words.split()}
_PHRASES = {
    "draft standard": Standing.IN_FORCE,  # steps of the IETF's and the XSF's ladder: published and in use
    "proposed standard": Standing.IN_FORCE,
    "internet standard": Standing.IN_FORCE,
    "in force": Standing.IN_FORCE,
    "in kraft": Standing.IN_FORCE,
    "en vigueur": Standing.IN_FORCE,
    "en vigor": Standing.IN_FORCE,
    "ausser kraft": Standing.RETIRED,
    "best current practice": Standing.IN_FORCE,
    "last call": Standing.PENDING,
    "in progress": Standing.PENDING,
    "work in progress": Standing.PENDING,
    "needs revision": Standing.PENDING,
    "on hold": Standing.STALLED,
    "out of date": Standing.RETIRED,
    "end of life": Standing.RETIRED,
}
# the first of these that is found counts: a final draft is a draft, an accepted and superseded one is superseded
_WEAKEST_FIRST = (Standing.SUPERSEDED, Standing.RETIRED, Standing.STALLED, Standing.PENDING, Standing.IN_FORCE)
_NOT = frozenset({"not", "no", "never", "un", "non", "kein", "nicht", "ne", "pas"})
_IN_PART = frozenset({"partially", "partly", "mostly", "teilweise", "partiellement", "parcialmente"})
"""What is replaced in part holds for the rest of it."""


@lru_cache(maxsize=1024)
def standing_of(status: str | None) -> Standing:
    """The standing that a stated status means; UNKNOWN for one that is missing or means nothing here."""
    words = re.findall(r"[^\W\d_]+", (status or "").casefold())
    phrase = " ".join(words)
    if phrase in _PHRASES:
        return _PHRASES[phrase]
    if phrase.startswith("no longer"):
        return Standing.RETIRED
    if not (_NOT | _IN_PART).isdisjoint(words):
        return Standing.UNKNOWN
    found = {_STANDING[word] for word in words if word in _STANDING}
    return next((standing for standing in _WEAKEST_FIRST if standing in found), Standing.UNKNOWN)


_CANONICAL = frozenset({"canonical", "authoritative"})


def is_stated_canonical(status: str | None) -> bool:
    return not _CANONICAL.isdisjoint(re.findall(r"[a-z]+", (status or "").casefold()))


def is_evergreen(status: str | None, content_type: str) -> bool:
    """Whether a document never grows old by itself, and is left alone."""
    return "evergreen" in (status or "").casefold() or content_type.casefold() == "evergreen"

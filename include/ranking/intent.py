"""What a question says about versions: by rules that state their reasons. Pure.

| intent  | the question                                          | what it changes                                    |
|---------|-------------------------------------------------------|----------------------------------------------------|
| plain   | says nothing of time                                  | the order of similarity stands                     |
| latest  | asks for what holds now                               | newer, current and canonical documents gain        |
| as_of   | asks for what held at a time, or names an edition     | documents of that time gain, later ones lose       |
| history | asks for older versions, several or their differences | nothing is collapsed, retired versions are shown   |

A date may be the topic and not the time of writing: "what did the 2019 budget cover" is plain. So a period counts
only behind a word that places it ("in 2019", "before March") or in front of a kind of document ("the March deck").
History wins over as_of, as_of over latest: "all decks of 2024" asks for several, "the latest deck as of March" for
March. What stands in quotation marks or code is a title or a name, and says nothing.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from functools import lru_cache

from include.ranking.periods import Period, read_period
from include.ranking.vocabulary import ENGLISH, Vocabulary
from include.ranking.wording import folded_words

NEGATION_REACH = 3
"""So many words a negation may stand in front of what it takes back: "not the very latest"."""

QUALIFIERS = 2
"""So many words may stand between a phrase and the kind of document it is about: "all our wholesale price lists"."""

_BEGINNING = datetime(1971, 1, 1, tzinfo=UTC)
_SILENT = re.compile(
    r"```.*?```|`[^`]*`"  # code
    r"|\"[^\"]*\"|\u201c[^\u201d]*\u201d|\u201e[^\u201c\u201d]*[\u201c\u201d]|\u00ab[^\u00bb]*\u00bb"
    r"|(?<!\w)'[^']*'(?!\w)|(?<!\w)\u2018[^\u2019]*\u2019(?!\w)"
    r"|https?://\S+"
    r"|\S*[=_/\\:]\S+|(?<!\S)--?[a-z]\S*",  # flags, paths, image:tag, snake_case
    re.DOTALL,
)
_WORD = re.compile(r"[\w\u2019'.-]+")
_VERSION = re.compile(r"v?\d+(?:\.\d+)+|v\d+")


class IntentKind(StrEnum):
    PLAIN = "plain"
    LATEST = "latest"
    AS_OF = "as_of"
    HISTORY = "history"


@dataclass(frozen=True, slots=True)
class Intent:
    """What was read from a question. `period` is set for as_of, and for a history that names one. `names_edition`:
    the period is a name ("the March deck"), so a document that bears it in its title fits as well as one of that date.
    `quoted` is what stands in quotation marks or code: titles and names, which say nothing of time. `topic` are the
    words that say what the question is about (`wording.folded_words`), those of time and the small ones left out.
    `reasons` say in words what was found, and what was found and does not count."""

    kind: IntentKind
    reasons: tuple[str, ...] = ()
    period: Period | None = None
    names_edition: bool = False
    quoted: tuple[str, ...] = ()
    topic: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Found:
    at: int
    words: str


def read_intent(
    query: str,
    *,
    now: datetime,
    vocabulary: Vocabulary = ENGLISH,
    override: IntentKind | None = None,
    period: Period | None = None,
) -> Intent:
    """The intent of a question. `override` is what the caller wants whatever it says; a period is still read.
    `period` is the time that the caller asks about, whatever the question says; alone it means as_of."""
    words, quoted = _words(query), _quoted(query)
    reasons: list[str] = []
    history = _phrases(words, vocabulary.history, vocabulary, reasons, "history")
    latest = [
        found
        for found in _phrases(words, vocabulary.latest, vocabulary, reasons, "latest")
        if not _is_topic(found, words, vocabulary, reasons)
    ]
    if period is None:
        period, names_edition = _period(words, vocabulary, now, reasons)
    else:
        names_edition, override = False, override or IntentKind.AS_OF
        reasons.append(f"the caller asks about {period.start:%Y-%m-%d} to {period.end:%Y-%m-%d}")
    if any(_VERSION.fullmatch(word) for word in words) and any(found.words.endswith("since") for found in history):
        reasons.append("asks what changed since a version")
    if override is not None:
        kind, reasons = override, [f"asked for by the caller: {override}", *reasons]
    elif history:
        kind, reasons = IntentKind.HISTORY, [_said(history), *reasons]
    elif period is not None:
        kind = IntentKind.AS_OF
    elif latest:
        kind, reasons = IntentKind.LATEST, [_said(latest), *reasons]
    else:
        kind, reasons = IntentKind.PLAIN, reasons or ["says nothing of versions or time"]
    return Intent(kind, tuple(reasons), period, names_edition, quoted, _topic(query, period, vocabulary))


def _topic(query: str, period: Period | None, vocabulary: Vocabulary) -> frozenset[str]:
    of_time = _folded_words_of_all((*vocabulary.latest, *vocabulary.history), vocabulary.no_qualifiers)
    topic = folded_words(query) - of_time
    return topic - folded_words(period.words) if period else topic


@lru_cache(maxsize=64)
def _folded_words_of_all(phrases: tuple[str, ...], words: frozenset[str]) -> frozenset[str]:
    return folded_words(" ".join((*phrases, *words)))


def _quoted(query: str) -> tuple[str, ...]:
    found = (match[0].strip("`'\"\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb ") for match in _SILENT.finditer(query))
    return tuple(each for each in found if each)


def _words(query: str) -> list[str]:
    """Lower-case words; what is silent (quoted, code) leaves a mark that no phrase can reach across."""
    text = unicodedata.normalize("NFKC", query).replace("\u2019", "'")
    text = _SILENT.sub(" \u2026quoted\u2026 ", text)
    text = re.sub(r"\bup[-\u2010\u2011]to[-\u2010\u2011]date\b", "up to date", text.lower())
    return [word.strip(".'-") or word for word in _WORD.findall(re.sub(r"[,;!?()]", " ", text))]


def _phrases(
    words: list[str], phrases: tuple[str, ...], vocabulary: Vocabulary, reasons: list[str], what: str
) -> list[_Found]:
    """Where the phrases stand; one that a negation takes back is only a reason. The longest phrase at a place wins."""
    found = []
    taken: set[int] = set()
    opens = {"{thing}", *words}
    for parts in _longest_first(phrases):
        if parts[0] not in opens:
            continue
        for at in range(len(words)):
            length = _matches(parts, words[at:], vocabulary)
            span = set(range(at, at + length))
            if not length or span & taken:
                continue
            taken |= span
            said = " ".join(words[at : at + length])
            if negation := _negation(words, at, vocabulary):
                reasons.append(f"\u201c{said}\u201d is taken back by \u201c{negation}\u201d ({what} does not count)")
            else:
                found.append(_Found(at, said))
    return sorted(found, key=lambda each: each.at)


@lru_cache(maxsize=64)
def _longest_first(phrases: tuple[str, ...]) -> list[list[str]]:
    """In words."""
    return sorted((phrase.split() for phrase in phrases), key=len, reverse=True)


def _matches(parts: list[str], words: list[str], vocabulary: Vocabulary) -> int:
    """How many words a phrase takes at the beginning of these; 0 where it does not stand there."""
    fixed = parts[:-1] if parts[-1] == "{thing}" else parts
    if words[: len(fixed)] != fixed:
        return 0
    if fixed is parts:
        return len(parts)
    named = _words_to_thing(words[len(fixed) :], vocabulary)
    return len(fixed) + named if named else 0


def _words_to_thing(words: list[str], vocabulary: Vocabulary) -> int:
    """How many words name a kind of document here: deck, sales deck, wholesale price list. 0 for none."""
    for count, word in enumerate(words[: QUALIFIERS + 1], start=1):
        following = words[count] if count < len(words) and count <= QUALIFIERS else ""
        if word in vocabulary.things and following not in vocabulary.things:  # of "price list" the list is the thing
            return count
        if word in vocabulary.no_qualifiers or word.startswith("\u2026"):
            return 0
    return 0


def _negation(words: list[str], at: int, vocabulary: Vocabulary) -> str:
    for place in range(max(0, at - NEGATION_REACH), at):
        if words[place] in vocabulary.negations:
            following = words[place + 1] if place + 1 < len(words) else ""
            is_question = place == 0 and words[place].endswith("n't")  # "isn't the current policy …?"
            if following not in vocabulary.not_negating and not is_question:
                return words[place]
    return ""


def _is_topic(found: _Found, words: list[str], vocabulary: Vocabulary, reasons: list[str]) -> bool:
    after = found.at + len(found.words.split())
    following = words[after] if after < len(words) else ""
    before = words[found.at - 1] if found.at else ""
    is_said_of_something = before in vocabulary.said_of and following in vocabulary.at
    if following in vocabulary.latest_not_before and not is_said_of_something:
        reasons.append(f"\u201c{found.words} {following}\u201d is a topic")
        return True
    if before in vocabulary.latest_not_after:
        reasons.append(f"\u201c{before} {found.words}\u201d is a topic")
        return True
    return False


def _period(words: list[str], vocabulary: Vocabulary, now: datetime, reasons: list[str]) -> tuple[Period | None, bool]:
    """The first period that is placed by a word in front of it or names an edition; others are topics."""
    topics = []
    for at in range(len(words)):
        read = read_period(words[at:], vocabulary, now=now)
        if read is None:
            continue
        period, count = read
        if period.start > now:
            topics.append(f"\u201c{period.words}\u201d lies ahead")
            continue
        for phrases, bounded in ((vocabulary.until, _until), (vocabulary.from_, _since), (vocabulary.at, _within)):
            placed = _placed_by(words, at, phrases)
            if placed:
                limited = bounded(period, f"{placed} {period.words}", now)
                reasons.append(f"\u201c{limited.words}\u201d is {limited.start:%Y-%m-%d} to {limited.end:%Y-%m-%d}")
                return limited, False
        if period.is_relative:
            reasons.append(f"\u201c{period.words}\u201d is {period.start:%Y-%m-%d} to {period.end:%Y-%m-%d}")
            return period, False
        named = _words_to_thing(words[at + count :], vocabulary)
        has_article = at > 0 and words[at - 1] in vocabulary.articles
        if named and (has_article if named > 1 else _opens_a_name(words, at, vocabulary)):
            name = " ".join([period.words, *words[at + count : at + count + named]])
            if _negation(words, at, vocabulary):
                topics.append(f"\u201c{name}\u201d is taken back")
                continue
            reasons.append(f"\u201c{name}\u201d names an edition")
            return period, True
        topics.append(f"\u201c{period.words}\u201d is a topic: no word places it in time")
    reasons.extend(dict.fromkeys(topics[:1]))
    return None, False


def _opens_a_name(words: list[str], at: int, vocabulary: Vocabulary) -> bool:
    """Whether a name can begin here. A bare number in the middle of words belongs to what is in front of it: "the
    Windows Server 2019 guide"."""
    return not words[at].isdigit() or at == 0 or words[at - 1] in vocabulary.articles | vocabulary.negations


def _placed_by(words: list[str], at: int, phrases: tuple[str, ...]) -> str:
    for phrase in sorted(phrases, key=lambda each: -len(each.split())):
        parts = phrase.split()
        if at >= len(parts) and words[at - len(parts) : at] == parts:
            return phrase
    return ""


def _until(period: Period, words: str, _now: datetime) -> Period:
    """Up to the beginning of what is named: "before March" ends with February."""
    return Period(_BEGINNING, max(period.start, datetime(1971, 1, 2, tzinfo=UTC)), words)


def _since(period: Period, words: str, now: datetime) -> Period:
    return Period(period.start, max(now, period.end), words)


def _within(period: Period, words: str, _now: datetime) -> Period:
    return Period(period.start, period.end, words)


def _said(found: list[_Found]) -> str:
    return "says " + ", ".join(f"\u201c{each.words}\u201d" for each in found)

"""By what an erased document is known wherever it may have got to. Pure; what it returns is kept in memory only.

A phrase counts if it stands in no other document: what many pages say (a footer, a product's name) tells nothing, and
looking for it would find the others.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from include.domain.documents import DocumentKey
from include.domain.erasure import Trace

SAMPLED_RUNS, SAMPLED_WORDS = 16, 16
"""So many phrases of each kind are looked for; each is looked for in a dozen spellings in every file."""

_SHORTEST_RUN, _LONGEST_RUN = 14, 100
_SHORTEST_WORD = 8
_SHORTEST_NAME = 8
# Between these, a text is the same in Markdown, HTML and JSON.
_RUN = re.compile(r"[^\n\r\t|*_`<>\[\](){}\"'\\&#]+")
_WORD = re.compile(rf"[\w-]{{{_SHORTEST_WORD},}}")
_SIGN = re.compile(r"[\d/._: -]")


def traces_of(
    documents: Mapping[DocumentKey, Sequence[Mapping[str, object]]],
    others: Callable[[], Iterable[Mapping[str, object]]],
    *,
    mark_of: Callable[[DocumentKey], str],
    phrases: Sequence[str] = (),
) -> list[Trace]:
    """A trace for each document. `documents` has the payloads of its stored chunks, none where the index no longer
    holds it; `others` yields the payloads of all other documents; `phrases` are looked for too, but for those that a
    document says which stays."""
    names = {key: _names(key, payloads) for key, payloads in documents.items()}
    runs = {key: _runs(payloads) for key, payloads in documents.items()}
    words = {key: _words(payloads) for key, payloads in documents.items()}
    alive = {each for found in (*names.values(), *runs.values(), *words.values(), phrases) for each in found}
    for payload in others():
        text = "\n".join(said(payload))
        alive = {each for each in alive if each not in text}
    given = [each for each in phrases if each in alive]
    made = []
    for key in documents:
        its_runs = [each for each in runs[key] if each in alive]
        its_words = [each for each in words[key] if each in alive]
        telling = tuple(each for each in names[key] if each in alive)
        samples = (*_spread(its_runs, SAMPLED_RUNS), *sorted(its_words, key=_rarity)[:SAMPLED_WORDS])
        made.append(
            Trace(
                key,
                mark_of(key),
                names=telling,
                phrases=tuple(dict.fromkeys((*given, *its_runs, *its_words))),
                samples=tuple(dict.fromkeys((*given, *samples))),
                id_is_telling=key.doc_id in telling,
            )
        )
    return made


def said(value: object) -> Iterator[str]:
    """Every text in a payload, or in anything read from JSON or YAML, names of fields included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, each in value.items():
            yield str(name)
            yield from said(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from said(each)


def _names(key: DocumentKey, payloads: Sequence[Mapping[str, object]]) -> list[str]:
    """A word such as `status` or `people` tells nothing, though it were a document's id."""
    told = (str(payload.get(name) or "") for payload in payloads for name in ("url", "title"))
    found = [key.doc_id, *told]
    return [each for each in dict.fromkeys(found) if len(each) >= _SHORTEST_NAME and _SIGN.search(each)]


def _runs(payloads: Sequence[Mapping[str, object]]) -> list[str]:
    found: dict[str, None] = {}
    for payload in payloads:
        for run in _RUN.findall(str(payload.get("text") or "")):
            run = run.strip(" .,;:!?-")
            while len(run) > _LONGEST_RUN:
                cut = run.rfind(" ", _SHORTEST_RUN, _LONGEST_RUN)
                cut = cut if cut > 0 else _LONGEST_RUN
                found[run[:cut]] = None
                run = run[cut:].strip()
            if len(run) >= _SHORTEST_RUN:
                found[run] = None
    return list(found)


def _words(payloads: Sequence[Mapping[str, object]]) -> list[str]:
    texts = [str(payload.get("text") or "") for payload in payloads]
    return list(dict.fromkeys(word.strip("-_") for text in texts for word in _WORD.findall(text)))


def _rarity(word: str) -> tuple[bool, int]:
    """What has digits in it, and is long, is the likeliest to be this document's own."""
    return not any(sign.isdigit() for sign in word), -len(word)


def _spread(found: Sequence[str], most: int) -> Sequence[str]:
    """As many, from all parts of the document."""
    return found if len(found) <= most else [found[number * len(found) // most] for number in range(most)]

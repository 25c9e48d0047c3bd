"""By what an erased document is known wherever it may have got to. Pure; what it returns is kept in memory only.

A phrase counts if it stands in no other document: what many pages say (a footer, a product's name) tells nothing, and
looking for it would find the others. And it counts only if it could be nothing else: phrases are taken out of records,
whose fields are named by words too. So it has three words at least, or is a code of letters and digits; a page that
says `published` or a date is not known by that.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from include.domain.documents import DocumentKey
from include.domain.erasure import Trace

SAMPLED_RUNS, SAMPLED_CODES = 16, 16
"""So many phrases of each kind are looked for; each is looked for in a dozen spellings in every file."""

_SHORTEST_RUN, _LONGEST_RUN, _FEWEST_SPACES = 12, 100, 2
_SHORTEST_NAME = 8
# Between these, a text is the same in Markdown, HTML and JSON.
_RUN = re.compile(r"[^\n\r\t|*_`<>\[\](){}\"'\\&#]+")
_CODE = re.compile(r"(?<![\w-])(?=[\w-]*[g-zG-Z])(?=[\w-]*\d)(?![\w-]*\d{4}-\d\d)[^\W\d_][\w-]{7,}")
"""Not a date, not a number, not a digest in hexadecimal digits, not the id of a run, which has a date in it: these
stand in records for other things."""
_NAME = re.compile(r"[/.:@ ]|(?=.*[g-zG-Z])(?=.*\d)[\w-]{8,}$")


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
    codes = {key: _codes(payloads) for key, payloads in documents.items()}
    alive = {each for found in (*names.values(), *runs.values(), *codes.values(), phrases) for each in found}
    for payload in others():
        text = "\n".join(said(payload))
        alive = {each for each in alive if each not in text}
    given = [each for each in phrases if each in alive]
    plain = tuple(each for each in given if not _is_telling(each))
    made = []
    for key in documents:
        its_runs = [each for each in runs[key] if each in alive]
        its_codes = [each for each in codes[key] if each in alive]
        telling = tuple(each for each in names[key] if each in alive)
        samples = (*_spread(its_runs, SAMPLED_RUNS), *sorted(its_codes, key=len)[-SAMPLED_CODES:])
        made.append(
            Trace(
                key,
                mark_of(key),
                names=telling,
                phrases=tuple(dict.fromkeys((*(each for each in given if each not in plain), *its_runs, *its_codes))),
                words=plain,
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
    """A word such as `people` or `created_at` tells nothing, though it were a document's id."""
    told = (str(payload.get(name) or "") for payload in payloads for name in ("url", "title"))
    return [each for each in dict.fromkeys([key.doc_id, *told]) if len(each) >= _SHORTEST_NAME and _is_telling(each)]


def _is_telling(name: str) -> bool:
    return _NAME.search(name) is not None


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
            found[run] = None
    return [run for run in found if len(run) >= _SHORTEST_RUN and run.count(" ") >= _FEWEST_SPACES]


def _codes(payloads: Sequence[Mapping[str, object]]) -> list[str]:
    texts = [str(payload.get("text") or "") for payload in payloads]
    return list(dict.fromkeys(word.rstrip("-_") for text in texts for word in _CODE.findall(text)))


def _spread(found: Sequence[str], most: int) -> Sequence[str]:
    """As many, from all parts of the document."""
    return found if len(found) <= most else [found[number * len(found) // most] for number in range(most)]

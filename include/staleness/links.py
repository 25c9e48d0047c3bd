"""Who refers to whom within a source, and the weak signal of a document that nobody refers to. Pure.

Links count only in a source that is declared to have machine-readable ones, and where they prove to be: most links
that stay within the source lead to a document of it, and most documents are linked to. Where a menu made elsewhere
connects the pages, nearly all look orphaned and none is.
"""

from __future__ import annotations

import posixpath
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from include.families.members import Member
from include.families.references import References
from include.staleness.evidence import Evidence, Signal
from include.staleness.subject import Subject

ORPHANED = 0.2
FEWEST_LINKS = 20
FEWEST_RESOLVED_PERCENT = 80
MOST_ORPHANED_PERCENT = 20

_ENTRANCES = frozenset({"index", "readme", "_index", "home", "start", "default"})
_MARKDOWN = re.compile(r"(?<!!)\[[^\]\n]*\]\(\s*(?:<([^>\n]+)>|([^)\s<]+))(?:\s+[\"'(][^)\n]*)?\)")
_DEFINED = re.compile(r"^[ ]{0,3}\[[^\]\n]+\]:[ \t]*<?(\S+?)>?(?:[ \t]+[\"'(].*)?$", re.MULTILINE)
_RST = re.compile(r"`[^`<]*<([^`>\s]+)>`_{1,2}|:(?:doc|ref):`(?:[^`<]*<)?([^`>]+)>?`")
_FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Links:
    """The links of one source. `referrers` are the documents that link to one, itself left out, by doc id. `within` is
    how many links stay in the source, `resolved` how many of them lead to a document, `doc_ids` all that were read."""

    declared: bool
    within: int = 0
    resolved: int = 0
    referrers: Mapping[str, frozenset[str]] = field(default_factory=dict)
    doc_ids: frozenset[str] = frozenset()


def targets_in(text: str) -> tuple[str, ...]:
    """Where the links of a Markdown or reStructuredText document lead, as written, each once. Code is passed over."""
    prose = _FENCED.sub("", text)
    found = [one or other for one, other in _MARKDOWN.findall(prose)]
    found += _DEFINED.findall(prose)
    found += [one or other for one, other in _RST.findall(prose)]
    return tuple(dict.fromkeys(found))


def read_links(subjects: Iterable[Subject], written: Mapping[str, Iterable[str]], *, declared: bool) -> Links:
    """The links of one source's documents. `written` are the targets as `targets_in` finds them, by doc id."""
    members = {each.key.doc_id: Member(each.key, each.title, each.url) for each in subjects}
    references = References(list(members.values()))
    hosts = {urlsplit(member.url).netloc for member in members.values()} - {""}
    within = resolved = 0
    referrers: dict[str, set[str]] = defaultdict(set)
    for doc_id, targets in written.items():
        if doc_id not in members:
            continue
        for target in targets:
            if not _stays(target, hosts):
                continue
            found = references.find(target, members[doc_id]).doc_id
            within += found is not None or _is_a_page(target)
            resolved += found is not None
            if found is not None and found != doc_id:
                referrers[found].add(doc_id)
    return Links(
        declared, within, resolved, {each: frozenset(ids) for each, ids in referrers.items()}, frozenset(members)
    )


def why_not_proven(links: Links | None) -> str:
    """Why links say nothing in this source, in numbers; empty where they are machine-readable."""
    if links is None or not links.declared:
        return "its links are not declared as machine-readable"
    if links.within < FEWEST_LINKS:
        return f"{links.within} links within it were found, {FEWEST_LINKS} are needed"
    if links.resolved * 100 < FEWEST_RESOLVED_PERCENT * links.within:
        return f"{links.resolved} of {links.within} links lead to a document, {FEWEST_RESOLVED_PERCENT} % are needed"
    orphans = sum(not links.referrers.get(doc_id) for doc_id in links.doc_ids)
    if orphans * 100 > MOST_ORPHANED_PERCENT * len(links.doc_ids):
        return (
            f"{orphans} of {len(links.doc_ids)} documents are linked to by none, more than {MOST_ORPHANED_PERCENT} %: "
            "something else connects them"
        )
    return ""


def live_referrers(subject: Subject, links: Links, live: frozenset[str], *, heir: str = "") -> tuple[str, ...]:
    """Documents that readers see and that link to this one, sorted. Its heirs are left out, they name what they
    replace; so are pages that link to the `heir` too, they know of it."""
    found = links.referrers.get(subject.key.doc_id, frozenset()) & live
    knowing = links.referrers.get(heir, frozenset()) if heir else frozenset()
    return tuple(sorted(found - knowing - {heir, *subject.superseded_by}))


def orphaned(subject: Subject, links: Links, live: frozenset[str]) -> Evidence | None:
    """For links that are proven. An entrance of a folder needs no link; `live` are documents that readers see."""
    doc_id = subject.key.doc_id
    name = posixpath.splitext(posixpath.basename(doc_id))[0].casefold()
    if doc_id not in links.doc_ids or name in _ENTRANCES or "/" not in doc_id.strip("/"):
        return None
    if live_referrers(subject, links, live):
        return None
    sentence = f"none of the {len(links.doc_ids)} documents of its source that readers see links to it"
    return Evidence(Signal.ORPHANED, ORPHANED, sentence)


def _stays(target: str, hosts: set[str]) -> bool:
    """Whether a link leads to this source: not to a part of the same page, to another site, to a mail address."""
    try:
        parts = urlsplit(target)
    except ValueError:  # http://[half an address
        return False
    return not target.startswith("#") and parts.scheme in ("", "http", "https") and parts.netloc in {"", *hosts}


def _is_a_page(target: str) -> bool:
    """Whether a link that leads to no document should have led to one: not to a picture or a download."""
    suffix = posixpath.splitext(urlsplit(target).path)[1].lower()
    return suffix in ("", ".md", ".mdx", ".markdown", ".rst", ".txt", ".html", ".htm")

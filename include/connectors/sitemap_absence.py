"""How a site says that a page does not exist: with 404, or with a page that answers 200 (a soft 404).

The second is learnt by asking for addresses that nobody can have made. What they show is what a page that is gone
shows, wherever a real page would never look the same: measured in words, against how much two such answers differ.
"""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from include.connectors.http_session import Answer
from include.connectors.sitemap_address import Site
from include.connectors.sitemap_http import next_hop
from include.connectors.sitemap_page import Page
from include.domain.errors import SourceUnavailable

_HOPS = 5
_FEWEST_WORDS_APART, _MOST_WORDS_APART = 2, 12
_SHORT = 600  # characters; an article *about* missing pages is longer
_SAYS_SO = re.compile(
    r"(?:error\s*)?404\b.*|.*\b(?:page|content|document|article)?\s*(?:could not be |was |is )?(?:not found|no longer "
    r"available)\b.*|.*\bdoes(?:n.t| not) exist\b.*|.*\bnicht gefunden\b.*|.*\bexistiert nicht\b.*|.*\bintrouvable\b.*"
    r"|.*\bno (?:encontrada|encontrado|existe)\b.*|.*\bnon trovat[ao]\b.*|.*\bnão encontrada\b.*|.*\bniet gevonden\b.*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Absence:
    """What was learnt. `is_honest`: addresses that cannot exist answer 404 or 410. `targets` are the pages that they
    are redirected to instead, `pages` the words of what they show. `problem`: why nothing could be learnt."""

    is_honest: bool = False
    pages: tuple[Counter[str], ...] = ()
    targets: frozenset[str] = frozenset()
    problem: str = ""
    patterns: tuple[re.Pattern[str], ...] = field(default=())

    @property
    def words(self) -> str:
        if self.is_honest:
            return "an address that cannot exist answers 404"
        if self.targets:
            return f"an address that cannot exist is redirected to {min(self.targets)}"
        return "an address that cannot exist answers 200" if self.pages else "absent pages cannot be told by their look"

    def of_page(self, page: Page, address: str) -> str:
        """Why this page is one that says it is not there; "" when it is none."""
        for pattern in self.patterns:
            if pattern.search(page.title) or pattern.search(page.text):
                return f"shows `{pattern.pattern}` (option soft_404)"
        if self.is_honest:
            return ""
        shown = _words_of(page, address)
        allowed = _FEWEST_WORDS_APART
        if len(self.pages) > 1:
            allowed = min(max(allowed, _apart(self.pages[0], self.pages[1])), _MOST_WORDS_APART)
        if shown and any(_apart(shown, missing) <= allowed for missing in self.pages):
            return "shows what an address that cannot exist shows"
        parts = re.split(r"\s[|·•–—-]\s", page.title)
        if len(page.text) < _SHORT and any(_SAYS_SO.fullmatch(part.strip()) for part in parts):
            return f"is titled {page.title[:60]!r}"
        return ""


def learn_absence(
    addresses: Sequence[str],
    site: Site,
    ask: Callable[[str], Answer],
    read: Callable[[Answer, str], Page],
    patterns: Sequence[str],
) -> Absence:
    """Ask for `addresses`, which nobody can have made. Never raises; what went wrong is the `problem`."""
    compiled = tuple(re.compile(pattern, re.IGNORECASE) for pattern in patterns)
    pages: list[Counter[str]] = []
    targets: set[str] = set()
    honest = 0
    try:
        for address in addresses:
            answer, where = _followed(site, ask, address)
            if answer.status in (404, 410):
                honest += 1
            elif answer.status == 200:
                try:
                    page = read(answer, where)
                except ValueError:
                    continue
                if page.signs.asks_password:
                    continue  # a wall in front of everything; it does not tell what is behind it
                target = site.page(where)
                if target is not None and _own_words(address)[-1] not in where:
                    targets.add(target)
                elif shown := _words_of(page, where):
                    pages.append(shown)
    except SourceUnavailable as error:
        return Absence(problem=f"what the site answers for a page that does not exist is unknown: {error}")
    return Absence(honest == len(addresses) > 0, tuple(pages), frozenset(targets), patterns=compiled)


def impossible_addresses(site: Site, listed: Iterable[str]) -> list[str]:
    """At the root of the site, deeper, and beside most of the listed pages: a section may have a page of its own."""
    token = f"truecopy-{secrets.token_hex(8)}"
    found = [f"{site.root}{token}", f"{site.root}{token}/{secrets.token_hex(8)}/"]
    folders = Counter(urlsplit(doc_id).path.rstrip("/").rpartition("/")[0] for doc_id in listed)
    if folders and (folder := folders.most_common(1)[0][0]):
        found.append(f"{site.root.rstrip('/')}{folder}/{token}")
    return found


def _followed(site: Site, ask: Callable[[str], Answer], address: str) -> tuple[Answer, str]:
    answer = ask(address)
    for _ in range(_HOPS):
        if not 300 <= answer.status < 400:
            break
        try:
            following = next_hop(answer, address)
            if site.doc_id(following) is None:
                break
        except ValueError:
            break
        address = following
        answer = ask(address)
    return answer, address


def _words_of(page: Page, address: str) -> Counter[str]:
    """Without those of the address, which such pages like to repeat."""
    own = _own_words(address)
    words = f"{page.title} {page.text}".lower().split()
    return Counter(word for word in words if not any(part in word for part in own))


def _own_words(address: str) -> list[str]:
    return [part.lower() for part in unquote(urlsplit(address).path).split("/") if len(part) > 2]


def _apart(one: Counter[str], other: Counter[str]) -> int:
    return max((one - other).total(), (other - one).total())

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
from functools import reduce
from operator import and_
from urllib.parse import unquote, urlsplit

from include.connectors.http_session import Answer
from include.connectors.sitemap_address import Site
from include.connectors.sitemap_http import next_hop
from include.connectors.sitemap_page import Page
from include.domain.errors import SourceUnavailable

_HOPS = 5
_FEWEST_WORDS_APART, _MOST_WORDS_APART = 2, 12
_SHORT = 600  # characters; an article *about* missing pages is longer
_LONGEST_TITLE = 100
_PAGES = "page|content|document|article|site|seite|inhalt|dokument|artikel|contenu|p[aá]gina|contenido|conte[uú]do"
_MISSES = (
    r"not found|could ?n[o']t be found|no longer available|does(?:n.t| not) exist|nicht gefunden|existiert nicht|"
    r"introuvable|no encontrad[ao]|no existe|non trovat[ao]|não encontrad[ao]|niet gevonden"
)
# The page, not the printer that the article is about; and no question.
_SAYS_SO = re.compile(
    rf"(?:error\s*)?404\W*(?:error|fehler)?|"
    rf"(?:(?:error\s*)?404\W+)?(?:[^?]*\b(?:{_PAGES})\b[^?]*)?\b(?:{_MISSES})\b[^?]*",
    re.IGNORECASE,
)
_MOST_SECTIONS = 8
_FEWEST_WORDS_KEPT = 5


@dataclass(frozen=True, slots=True)
class Absence:
    """What was learnt. `is_honest`: addresses that cannot exist answer 404 or 410. `targets` are the pages that they
    are redirected to instead, `pages` the words of what they show, `title` what all of these are titled, if it is one
    and the same. `problem`: why nothing could be learnt."""

    is_honest: bool = False
    pages: tuple[Counter[str], ...] = ()
    title: str = ""
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
        if self._is_titled_and_worded_alike(page, shown, address):
            return "is titled and worded like an address that cannot exist"
        parts = re.split(r"\s[|·•–—-]\s", page.title)
        if len(page.text) < _SHORT and any(map(_says_so, parts)):
            return f"is titled {page.title[:60]!r}"
        return ""

    def _is_titled_and_worded_alike(self, page: Page, shown: Counter[str], address: str) -> bool:
        """For not-found pages that suggest something else each time: the words that all of them show, and hardly more
        beside them than they do."""
        if len(self.pages) < 2 or not self.title or _title_of(page, address) != self.title:
            return False
        kept = reduce(and_, self.pages)
        most_beside = max((missing - kept).total() for missing in self.pages)
        beside = (shown - kept).total()
        return kept.total() >= _FEWEST_WORDS_KEPT and kept <= shown and beside <= most_beside + _MOST_WORDS_APART


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
    titles: set[str] = set()
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
                    titles.add(_title_of(page, where))
    except SourceUnavailable as error:
        return Absence(problem=f"what the site answers for a page that does not exist is unknown: {error}")
    title = titles.pop() if len(titles) == 1 else ""
    return Absence(honest == len(addresses) > 0, tuple(pages), title, frozenset(targets), patterns=compiled)


def impossible_addresses(site: Site, listed: Iterable[str]) -> list[str]:
    """At the root of the site, deeper, and in the largest folders of listed pages: each section may have a not-found
    page of its own."""
    token = f"truecopy-{secrets.token_hex(8)}"
    found = [f"{site.root}{token}", f"{site.root}{token}/{secrets.token_hex(8)}/"]
    folders = Counter(urlsplit(doc_id).path.rstrip("/").rpartition("/")[0] for doc_id in listed)
    sections = [folder for folder, _ in folders.most_common(_MOST_SECTIONS) if folder]
    return [*found, *(f"{site.root.rstrip('/')}{folder}/{token}" for folder in sections)]


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


def _title_of(page: Page, address: str) -> str:
    own = _own_words(address)
    return " ".join(word for word in page.title.lower().split() if not any(part in word for part in own))


def _says_so(title: str) -> bool:
    return len(title) <= _LONGEST_TITLE and _SAYS_SO.fullmatch(title.strip()) is not None


def _own_words(address: str) -> list[str]:
    return [part.lower() for part in unquote(urlsplit(address).path).split("/") if len(part) > 2]


def _apart(one: Counter[str], other: Counter[str]) -> int:
    return max((one - other).total(), (other - one).total())

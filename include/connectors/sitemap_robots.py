"""What a site's robots.txt says to us: RFC 9309, of which the standard library knows neither wildcards nor that the
longest rule wins. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from include.connectors.sitemap_address import escaped

_LONGEST = 500 * 1024  # bytes; what a crawler must at least read
_TOKEN = re.compile(r"[a-zA-Z_-]+")


@dataclass(frozen=True, slots=True)
class Robots:
    """The rules for one user agent. `rules` are (pattern, allowed); `crawl_delay` in seconds; `sitemaps` as written."""

    rules: tuple[tuple[str, bool], ...] = ()
    crawl_delay: float = 0.0
    sitemaps: tuple[str, ...] = ()

    @classmethod
    def parse(cls, text: str, agent: str) -> Robots:
        """The groups that name the agent, all taken together, or those of `*` if none does."""
        named: list[tuple[str, str]] = []
        for_all: list[tuple[str, str]] = []
        is_named = False
        sitemaps: list[str] = []
        chosen: list[list[tuple[str, str]]] = []
        is_head = False
        for key, value in _lines(text):
            if key == "sitemap":
                sitemaps.append(value)
            elif key == "user-agent":
                chosen = chosen if is_head else []
                is_head = True
                if value == "*":
                    chosen.append(for_all)
                elif (token := _TOKEN.match(value)) and token[0].lower() == agent.lower():
                    chosen.append(named)
                    is_named = True
            else:
                is_head = False
                for group in chosen:
                    group.append((key, value))
        lines = named if is_named else for_all
        rules = tuple(
            (escaped(value), key == "allow") for key, value in lines if key in ("allow", "disallow") and value
        )
        delay = max((_seconds(value) for key, value in lines if key == "crawl-delay"), default=0.0)
        return cls(rules, delay, tuple(dict.fromkeys(sitemaps)))

    def allows(self, address: str) -> bool:
        """The longest matching rule wins, of two as long the allowing one."""
        parts = urlsplit(address)
        path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        matching = [(len(pattern), allowed) for pattern, allowed in self.rules if _matches(path, pattern)]
        return max(matching)[1] if matching else True


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text[:_LONGEST].lstrip("\ufeff").splitlines():
        key, colon, value = line.partition("#")[0].partition(":")
        if colon:
            yield key.strip().lower(), value.strip()


def _seconds(value: str) -> float:
    try:
        return max(0.0, float(value))
    except ValueError:
        return 0.0


def _matches(path: str, pattern: str) -> bool:
    is_anchored = pattern.endswith("$")
    parts = (pattern[:-1] if is_anchored else pattern).split("*")
    if not path.startswith(parts[0]):
        return False
    place = len(parts[0])
    for part in parts[1:]:  # leftmost match of each part; no regular expression, so no catastrophic one
        place = path.find(part, place)
        if place < 0:
            return False
        place += len(part)
    if not is_anchored:
        return True
    return place == len(path) or (len(parts) > 1 and path.endswith(parts[-1]))

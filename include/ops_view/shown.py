"""How values are written on pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from markupsafe import Markup, escape

NOT_KNOWN = "–"


def when(moment: datetime | None) -> str | Markup:
    """An instant as people read it, exact to the minute, UTC; a browser and a screen reader get the exact one."""
    if moment is None:
        return NOT_KNOWN
    moment = moment.astimezone(UTC)
    return Markup('<time datetime="{}">{} UTC</time>').format(moment.isoformat(), f"{moment:%Y-%m-%d %H:%M}")


def ago(moment: datetime | None) -> str:
    """How long ago, in the largest unit that fits."""
    return NOT_KNOWN if moment is None else f"{span(datetime.now(UTC) - moment)} ago"


def span(length: timedelta | None) -> str:
    """`3 days`, `5 hours`, `40 seconds`."""
    if length is None:
        return NOT_KNOWN
    seconds = max(0.0, length.total_seconds())
    for unit, size, least in (("day", 86_400, 2), ("hour", 3_600, 2), ("minute", 60, 2)):
        if seconds >= size * least:
            return counted(int(seconds // size), unit)
    return counted(int(seconds), "second") if seconds >= 1 else f"{seconds * 1000:.0f} ms"


def number(value: float | None) -> str:
    """With thin spaces between thousands; a dash for what is not known, never a zero."""
    if value is None:
        return NOT_KNOWN
    return f"{value:,.0f}".replace(",", "\u202f") if float(value).is_integer() else f"{value:,.2f}"


def counted(value: int | None, noun: str) -> str:
    """`1 document`, `12 documents`, `2 families`."""
    if value is None:
        return f"{NOT_KNOWN} {noun}s"
    plural = f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2] not in "aeiou" else f"{noun}s"
    return f"{number(value)} {noun if value == 1 else plural}"


def percent(share: float | None) -> str:
    return NOT_KNOWN if share is None else f"{share * 100:.0f} %"


def prose(text: str) -> Markup:
    """A sentence of ours; what stands between backticks in it is a command or a name."""
    parts = text.split("`")
    if len(parts) % 2 == 0:  # one is left over: it means nothing
        return escape(text)
    marked = (Markup("<code>{}</code>").format(part) if at % 2 else escape(part) for at, part in enumerate(parts))
    return Markup("").join(marked)


FILTERS: Mapping[str, Callable[..., Any]] = {
    "when": when,
    "ago": ago,
    "span": span,
    "number": number,
    "counted": counted,
    "percent": percent,
    "prose": prose,
}

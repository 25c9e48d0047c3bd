"""What can be said of a source's dates where its way of writing them does not tell. Shared by all connectors."""

from __future__ import annotations

from datetime import UTC
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel

from include.domain.written_dates import Conventions, DateOrder


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("a time zone of the IANA database, for example Europe/Berlin") from None
    return name


class DateOptions(BaseModel):
    """`date_order`: which number comes first in `05/02/2018`; undeclared, such a date is unknown. `time_zone`: that of
    instants without an offset; undeclared, they are read as UTC and never taken to be exact where it matters."""

    date_order: Literal["dmy", "mdy"] | None = None
    time_zone: Annotated[str, AfterValidator(_known_zone)] | None = None

    @property
    def conventions(self) -> Conventions:
        zone = ZoneInfo(self.time_zone) if self.time_zone else UTC
        order = DateOrder(self.date_order) if self.date_order else None
        return Conventions(order, zone, zone_is_declared=self.time_zone is not None)

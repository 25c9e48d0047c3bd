"""Reads a paged JSON list and says whether nothing is missing.

One answer is one moment. A list of several pages is several moments: what is deleted on a page already read pulls an
unread row over the border, unseen. So such a list is read again until two readings in a row name the same documents in
the same order; then none came or went from the end of the first to the start of the second. Where the source pages by
offset, an overlap shows the same in one reading: every window must start with the rows the last one ended with. What is
edited meanwhile is listed as it was last read; the next listing sees the rest.

What ends a reading: a declared total that was reached, with nothing behind it where it fits into one page, a declared
page count, a null `next`, an empty page, the configured past-the-end error. A full or short page alone never does.
Whatever does not add up is a problem in words.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field

from include.connectors.http_pages import ListedItem, Page, PagedList, Question
from include.domain.errors import SourceUnavailable
from include.domain.redaction import redact_address


@dataclass(slots=True)
class Reading:
    """One walk over all pages. `anchored`: the windows of an overlapping walk fitted. `failed`: it broke off.
    `earlier_problems` are those of the walks before it, for the record."""

    items: dict[str, ListedItem] = field(default_factory=dict)
    totals: list[int | None] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    end_reached: bool = False
    anchored: bool = False
    failed: bool = False
    earlier_problems: tuple[str, ...] = ()

    @property
    def pages(self) -> int:
        return len(self.totals)

    @property
    def total(self) -> int | None:
        return self.totals[-1] if self.totals else None

    @property
    def presences(self) -> tuple[tuple[str, bool], ...]:
        return tuple(item.presence for item in self.items.values())

    def summary(self, passes: int) -> str:
        """What was read, in words, for the proof of a listing."""
        times = "one reading" if passes == 1 else f"{passes} readings"
        pages = f"{self.pages} page{'s' * (self.pages != 1)}"
        public = sum(item.listed is not None for item in self.items.values())
        total = "no total declared" if self.total is None else f"declared total {self.total}"
        text = f"{pages} in {times}, {len(self.items)} listed, {public} public, {total}"
        unquiet = ", ".join(dict.fromkeys(self.earlier_problems)) if not self.problems else ""
        return f"{text} (before it stood still: {unquiet})" if unquiet else text

    def agrees_with(self, other: Reading) -> bool:
        same_rows = self.presences == other.presences
        return same_rows and self.totals == other.totals and self.problems == other.problems


class _OtherSize(Exception):
    def __init__(self, size: int) -> None:
        self.size = size


class ListReader:
    """Reads one list endpoint to its end."""

    def __init__(self, endpoint: PagedList) -> None:
        self._endpoint = endpoint
        self._paging = endpoint.paging
        self._size = endpoint.paging.size
        self._asked_for_one_less = False

    def read(self) -> tuple[Reading, int]:
        """The last reading and how many there were. Raises SourceUnavailable when the first page cannot be read."""
        passes = self._paging.passes
        previous = reading = self._read_once()
        for number in range(1, passes + 1):
            is_sure = number == 1 and (reading.pages == 1 or reading.anchored) and not reading.problems
            if is_sure or reading.failed or (number > 1 and reading.agrees_with(previous)):
                return reading, number
            if number < passes:
                previous, reading = reading, self._read_once()
                reading.earlier_problems = (*previous.earlier_problems, *previous.problems)
        if passes > 1:
            reading.problems.append(
                f"the list changed while it was read: of {passes} readings no two in a row agree (limit passes)"
            )
        else:
            self._compare_first_page(reading)
        return reading, passes

    def _compare_first_page(self, reading: Reading) -> None:
        """The cheap check of a single reading: has the first page moved meanwhile?"""
        page = self._endpoint.ask(self._endpoint.first(self._size))
        if page.presences != reading.presences[: len(page.rows)] or page.total != reading.total:
            reading.problems.append("the first page changed while the list was read")

    def _read_once(self) -> Reading:
        for _ in range(4):
            try:
                reading = _Walk(self._endpoint, self._size, is_full_page_checked=self._asked_for_one_less).run()
            except _OtherSize as other:
                self._asked_for_one_less = self._asked_for_one_less or other.size == self._size - 1
                self._size = other.size
            else:
                return reading
        raise SourceUnavailable(
            f"the list serves another page size with every question, last {self._size}; set paging.size"
        )


class _Walk:
    """One reading, page after page."""

    def __init__(self, endpoint: PagedList, size: int, *, is_full_page_checked: bool) -> None:
        self._endpoint = endpoint
        self._paging = endpoint.paging
        self._size = size
        self._is_full_page_checked = is_full_page_checked
        self._reading = Reading(anchored=endpoint.paging.overlap > 0)
        self._before: Page | None = None

    def run(self) -> Reading:
        reading = self._reading
        question: Question | None = self._endpoint.first(self._size)
        asked: set[Question] = set()
        while question is not None:
            if reading.pages == self._paging.max_pages:
                return self._stop(f"stopped after {reading.pages} pages (limit max_pages), the end was not seen")
            if question in asked and not self._paging.overlap:  # an overlapping walk may step back
                return self._stop(f"page {reading.pages} names a page as next that was read before")
            asked.add(question)
            try:
                page = self._endpoint.ask(question)
            except SourceUnavailable as error:
                if not reading.pages:
                    raise
                reading.failed = True
                return self._stop(f"page {reading.pages + 1} could not be read: {error}")
            if not page.past_end:
                reading.totals.append(page.total)
            if problem := self._contradiction(question, page):
                return self._stop(problem)
            if self._is_gap(question, page):
                reading.anchored = False
                back = max(self._paging.first, question.number - self._size + self._paging.overlap)
                question = self._endpoint.numbered(back, self._size)
                continue
            fresh = self._collect(page)
            question = (
                self._next_number(question, page, fresh) if self._is_numbered else self._next_link(question, page)
            )
            self._before = page
        self._compare_totals()
        return reading

    @property
    def _is_numbered(self) -> bool:
        return self._paging.style in ("page", "offset")

    def _stop(self, problem: str) -> Reading:
        self._reading.end_reached = False
        self._reading.problems.append(problem)
        return self._reading

    def _contradiction(self, question: Question, page: Page) -> str:
        """What the answer says of itself against what was asked. A server that clamps the size may still count pages
        in the size it was asked for and leave holes: the walk starts again with the size it serves."""
        first, size, may_ask_size = self._reading.pages == 1, self._size, self._paging.size_parameter is not None
        if page.echoed_size is not None and page.echoed_size != size and may_ask_size:
            if first and 0 < page.echoed_size < size:
                raise _OtherSize(page.echoed_size)
            return f"asked for {size} documents a page, the source says it serves {page.echoed_size}"
        if page.echoed_page is not None and self._is_numbered and page.echoed_page != question.number:
            return f"asked for {self._paging.style} {question.number}, the source says it serves {page.echoed_page}"
        if self._paging.style == "page" and may_ask_size:
            if first and 0 < len(page.rows) < size and (page.total or 0) > len(page.rows):
                raise _OtherSize(len(page.rows))
            if page.rows and page.total is None and self._before is not None and len(self._before.rows) < size:
                raise _OtherSize(len(self._before.rows))  # a short page that was not the last: clamped
        if page.rows and self._before is not None and page.ids == self._before.ids:
            return f"page {self._reading.pages} repeats the page before it"
        return ""

    def _is_gap(self, question: Question, page: Page) -> bool:
        """Whether an overlapping window holds nothing known: so many rows before it were deleted that unread ones
        slid past us. It is left aside until a step back has found the thread again."""
        if not self._paging.overlap or question.number <= self._paging.first or not page.rows:
            return False
        return not any(doc_id in self._reading.items for doc_id in page.ids)

    def _collect(self, page: Page) -> int:
        """Add the rows, return how many are new."""
        items, ids = self._reading.items, page.ids
        known = [doc_id for doc_id in ids if doc_id in items]
        if len(set(ids)) < len(ids) or (known and not self._paging.overlap):
            twice = known[0] if known else next(one for one in ids if ids.count(one) > 1)
            self._reading.problems.append(f"document {twice} is listed twice (page {self._reading.pages})")
        if self._paging.overlap and self._before is not None:
            expected = self._before.presences[-self._paging.overlap :]
            if page.presences[: len(expected)] != expected:
                self._reading.anchored = False
        for row in page.rows:
            items.setdefault(row.doc_id, row)
        return len(ids) - len(known)

    def _next_number(self, question: Question, page: Page, fresh: int) -> Question | None:
        paging = self._paging
        if paging.style == "page":
            read, following = len(self._reading.items), question.number + 1
            is_last = page.total_pages is not None and question.number - paging.first + 1 >= page.total_pages
        else:
            read = question.number - paging.first + len(page.rows)
            following = paging.first + max(read - paging.overlap, question.number - paging.first + 1)
            is_last = bool(paging.overlap) and not fresh and len(page.rows) <= paging.overlap
            if paging.overlap and page.rows and not fresh and not is_last:
                self._reading.problems.append(f"page {self._reading.pages} holds nothing new")
                return None
        is_total_reached = page.total is not None and read >= page.total
        if page.past_end or not page.rows or is_last or is_total_reached:
            self._reading.end_reached = True
            if is_total_reached and self._reading.pages == 1 and page.rows:
                self._look_beyond(following)
            return None
        return self._endpoint.numbered(following, self._size)

    def _look_beyond(self, number: int) -> None:
        """A total that is no more than the only page may count that page alone: does another one follow it? Where the
        source refuses the question, the total stands."""
        with suppress(SourceUnavailable):
            beyond = self._endpoint.ask(self._endpoint.numbered(number, self._size))
            if any(doc_id not in self._reading.items for doc_id in beyond.ids):
                self._reading.end_reached = False
                self._reading.problems.append(
                    f"the source declares {self._reading.total} documents and lists others behind them; its total "
                    "seems to count one page"
                )

    def _next_link(self, question: Question, page: Page) -> Question | None:
        reading, paging = self._reading, self._paging
        if paging.style == "none":
            if page.next is not None:
                reading.problems.append(
                    f"the answer names a next page ({redact_address(page.next):.60}) though paging.style is none"
                )
            reading.end_reached = page.next is None
            return None
        if page.next is None:
            is_full = len(page.rows) >= self._size and paging.size_parameter is not None
            if reading.pages == 1 and is_full and page.total is None:
                # Exactly full and nothing follows: the last page, or the place of `next` is wrong. Asked for one
                # document less, a source that pages at all must name a second page.
                if self._size > 1 and not self._is_full_page_checked:
                    raise _OtherSize(self._size - 1)
                reading.problems.append(
                    f"the first page is full ({len(page.rows)}) and names no next; check paging.next"
                )
            reading.end_reached = not reading.problems
            return None
        if not page.rows:
            if page.total is not None and len(reading.items) >= page.total:
                reading.end_reached = True  # some sources name a next page for ever
                return None
            if self._before is not None and not self._before.rows:
                reading.problems.append("two empty pages in a row still name a next one, the end cannot be told")
                return None
        return self._endpoint.linked(question, page.next, self._size)

    def _compare_totals(self) -> None:
        reading = self._reading
        if len(set(reading.totals)) > 1:
            steps = " -> ".join("none" if total is None else str(total) for total in dict.fromkeys(reading.totals))
            reading.problems.append(f"the declared total changed from page to page: {steps}")
        elif reading.total is not None and reading.total != len(reading.items):
            reading.problems.append(f"the source declares {reading.total} documents and lists {len(reading.items)}")

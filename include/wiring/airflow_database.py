"""Airflow's metadata database, as an erasure needs it: XComs, rendered templates, confs, questions and answers.

Read as a database, not through Airflow: its models may not be used inside a task, and a table that a later release adds
is looked into all the same. Rows stay, with the marks of tombstones in them, so that runs that are at work go on.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from include.domain.erasure import Ending, Hit, PlaceReport, SearchReport, Trace
from include.planning.scrubbing import Scrubber
from include.planning.spellings import all_spellings

NAME = "Airflow's database"
_PAGE = 500


@dataclass(frozen=True)
class AirflowDatabase:
    """Implements ports.erasing.Place and Search. `url` is SQLAlchemy's; it may hold a password and is never shown."""

    url: str
    name: str = NAME

    def clear(self, traces: Sequence[Trace]) -> PlaceReport:
        import sqlalchemy as sa

        scrubber = Scrubber(traces)
        before = after = 0
        with self._tables() as (connection, tables):
            for table in tables:
                columns = _texts(table)
                for row in list(_rows(connection, table)):
                    changes = {name: clean for name in columns if (clean := _clean(row[name], scrubber)) != row[name]}
                    if not changes:
                        continue
                    before += 1
                    same = [column == row[column.name] for column in table.primary_key.columns]
                    if not same:
                        after += 1
                    else:
                        connection.execute(sa.update(table).where(*same).values(**changes))
            connection.commit()
            overwrites = connection.dialect.name == "sqlite"
            if overwrites:
                connection.execute(sa.text("PRAGMA wal_checkpoint(TRUNCATE)"))
        if not before or overwrites:
            ending = Ending.CLEARED if before else Ending.NOTHING
            return PlaceReport(self.name, ending, before=before, after=after, unit="rows")
        return PlaceReport(
            self.name,
            Ending.OPEN,
            before=before,
            after=after,
            unit="rows",
            open="the rows are rewritten; the server keeps their former versions in its files for a while",
            until="its own clean-up (VACUUM FULL in PostgreSQL), and the age of its log and backups",
        )

    def search(self, traces: Sequence[Trace]) -> SearchReport:
        needles = all_spellings(traces)
        hits, read = set(), 0
        with self._tables() as (connection, tables):
            for table in tables:
                for row in _rows(connection, table):
                    for name, value in row.items():
                        data = _bytes(value)
                        read += len(data)
                        found = {spelling for needle, spelling in needles.items() if needle in data}
                        hits |= {Hit(self.name, f"{table.name}.{name}", spelling) for spelling in found}
        return SearchReport(bytes=read, hits=tuple(sorted(hits, key=lambda hit: (hit.where, hit.spelling))))

    @contextmanager
    def _tables(self) -> Iterator[tuple[Any, list[Any]]]:
        import sqlalchemy as sa

        engine = sa.create_engine(self.url)
        try:
            with engine.connect() as connection:
                if connection.dialect.name == "sqlite":
                    # What is deleted is overwritten: SQLite would leave it in free pages otherwise.
                    connection.execute(sa.text("PRAGMA secure_delete=ON"))
                metadata = sa.MetaData()
                metadata.reflect(connection)
                yield connection, list(metadata.sorted_tables)
        finally:
            engine.dispose()


def _rows(connection: Any, table: Any) -> Iterator[Mapping[str, Any]]:
    import sqlalchemy as sa

    columns = [column for column in table.columns if column.name in _texts(table) or column.primary_key]
    if not _texts(table):
        return
    result = connection.execute(sa.select(*columns).execution_options(yield_per=_PAGE))
    for row in result.mappings():
        yield dict(row)


def _texts(table: Any) -> list[str]:
    import sqlalchemy as sa

    kinds = (sa.String, sa.Text, sa.JSON, sa.LargeBinary)
    keys = {column.name for column in table.primary_key.columns}
    found = [column for column in table.columns if isinstance(column.type, kinds) and column.name not in keys]
    return [column.name for column in found]


def _clean(value: Any, scrubber: Scrubber) -> Any:
    """JSON stays JSON, in a column of that type or of text."""
    if isinstance(value, (dict, list)):
        return scrubber.record(value)
    if not isinstance(value, str) or not scrubber.concerns(value.encode("utf-8", "surrogatepass")):
        return value
    try:
        record = json.loads(value)
    except ValueError:
        return scrubber.text(value)
    clean = scrubber.record(record)
    return value if clean == record else json.dumps(clean)


def _bytes(value: Any) -> bytes:
    if isinstance(value, (bytes, memoryview)):
        return bytes(value)
    text = value if isinstance(value, str) else json.dumps(value, default=str, ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")

"""What an erased document is known by, and the search that finds it in whatever it was packed into."""

from __future__ import annotations

import base64
import bz2
import gzip
import html
import io
import json
import lzma
import os
import sqlite3
import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote, quote_plus

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from include.domain.dates import rfc3339
from include.domain.documents import DocumentKey
from include.domain.erasure import Receipt, ReceiptState, Trace
from include.planning.scrubbing import Scrubber
from include.planning.spellings import spellings
from include.planning.traces import traces_of
from include.records.byte_search import FileSearch
from include.records.log_files import LogFiles
from include.records.receipts import FileReceipts
from include.records.state import StateRoot
from include.settings import Settings
from include.telemetry.erasures import ERASURE_ALERTS, erasure_alerts
from include.wiring.application import Application
from include.wiring.erasure import Surroundings, registry
from tests.builders import NOON

KEY = DocumentKey("handbook", "people/jane-doe.md")
PHRASE = "Jänes file & <number> 4711"
TRACE = Trace(KEY, "erased-1", names=(KEY.doc_id,), phrases=(PHRASE,), samples=(PHRASE,))


def tar_gz(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tape:
        entry = tarfile.TarInfo("inner.txt")
        entry.size = len(data)
        tape.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def zipped(data: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner.json.gz", gzip.compress(data))
    return buffer.getvalue()


def parquet(text: str) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(pa.table({"a": [1, 2], "b": [["x"], [text]]}), buffer, compression="zstd")
    return buffer.getvalue()


SPELT: dict[str, Callable[[str], bytes]] = {
    "plain": str.encode,
    "utf-16": lambda text: text.encode("utf-16"),
    "json": lambda text: json.dumps({"said": f"x {text} y"}).encode(),
    "json in json": lambda text: json.dumps(json.dumps({"said": text})).encode(),
    "html": lambda text: html.escape(text).encode(),
    "url": lambda text: b"GET /?q=" + quote(text).encode(),
    "form": lambda text: b"q=" + quote_plus(text).encode(),
    "base64": lambda text: base64.b64encode(b"ab" + text.encode() + b"cd"),
    "base64 for urls": lambda text: base64.urlsafe_b64encode(b"a" + text.encode() + b"cd"),
    "broken by yaml": lambda text: yaml.safe_dump({"said": f"{'word ' * 13}{text}"}, allow_unicode=True).encode(),
    "gzip": lambda text: gzip.compress(text.encode()),
    "bzip2": lambda text: bz2.compress(text.encode()),
    "xz": lambda text: lzma.compress(text.encode()),
    "tar": lambda text: tar_gz(text.encode()),
    "zip in gzip": lambda text: zipped(text.encode()),
    "parquet": parquet,
    "beyond a window": lambda text: b"x" * 7_999_995 + text.encode() + b"x" * 100,
}


@pytest.mark.parametrize("how", sorted(SPELT))
def test_the_search_finds_a_phrase_however_it_is_spelt_or_packed(tmp_path: Path, how: str) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "file").write_bytes(SPELT[how](PHRASE))
    (tmp_path / "a" / "other").write_bytes(SPELT[how]("Johns file & <number> 1147"))
    report = FileSearch({"place": tmp_path}).search([TRACE])
    assert {(hit.place, hit.where) for hit in report.hits} == {("place", "a/file")}
    assert report.unread == ()
    assert PHRASE not in str(report)


def test_the_search_reads_databases_row_by_row(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "rows.db")) as database, database:
        database.execute("PRAGMA page_size=512")
        database.execute('CREATE TABLE "odd ""name" (a BLOB)')
        database.execute('INSERT INTO "odd ""name" VALUES (?)', [gzip.compress(PHRASE.encode())])
    assert FileSearch({"place": tmp_path}).search([TRACE]).hits


def test_the_search_reads_objects_of_git_that_no_branch_leads_to(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )

    git("init", "-q")
    (tmp_path / "file").write_text(PHRASE)
    git("add", "-A")
    git("commit", "-qm", "one")
    git("rm", "-q", "file")
    git("commit", "-q", "--amend", "--allow-empty", "-m", "gone")
    report = FileSearch({"place": tmp_path}).search([TRACE])
    assert {hit.where for hit in report.hits} == {".git: objects"}


def test_a_file_named_after_the_document_is_a_hit_that_does_not_name_it(tmp_path: Path) -> None:
    (tmp_path / "people-jane-doe-md-1234.yaml").write_text("nothing")
    report = FileSearch({"place": tmp_path}).search([TRACE])
    assert [(hit.where, hit.spelling) for hit in report.hits] == [("…", "name of a file")]


def test_what_cannot_be_unpacked_is_said(tmp_path: Path) -> None:
    (tmp_path / "torn.gz").write_bytes(gzip.compress(os.urandom(2000))[:900])
    report = FileSearch({"place": tmp_path}).search([TRACE])
    assert report.unread == ("place: torn.gz: EOFError",)


@given(st.text(min_size=8, max_size=40), st.binary(max_size=7), st.binary(max_size=7))
def test_every_alignment_of_base64_is_known(phrase: str, before: bytes, after: bytes) -> None:
    packed = base64.b64encode(before + phrase.encode() + after)
    assert any(spelt in packed for spelt, name in spellings(phrase).items() if name.startswith("base64"))


def test_a_document_is_known_by_what_no_other_says() -> None:
    jane = {
        "source": "handbook",
        "doc_id": KEY.doc_id,
        "title": "Jane Doe's case",
        "text": "All rights reserved here.\n\n",
    }
    jane["text"] += "Her number is quartz-4711-zz, says the file.\n"
    other = {"doc_id": "rules", "text": "Text.\n\nAll rights reserved here. See Jane Doe's case."}
    (trace,) = traces_of({KEY: [jane]}, lambda: [other], mark_of=lambda key: "m", phrases=["Jane", "Elm Street"])
    assert trace.names == (KEY.doc_id,)
    assert trace.id_is_telling
    assert "Elm Street" in trace.samples
    assert "Jane" not in trace.samples  # a document that stays says it too
    assert "quartz-4711-zz" in trace.samples
    assert not any("rights reserved" in each for each in trace.phrases)
    assert "quartz" not in repr(trace)


def test_words_that_records_are_made_of_tell_nothing_though_a_page_alone_says_them() -> None:
    key = DocumentKey("handbook", "created_at")
    text = (
        "| published | replaced |\n\nstaged_for_review 2026-03-01 20260301T120000Z 0123456789abcdef "
        "deadbeef-0000-4000-8000-000000000000 scheduled\n\nreconcile_index\n\n*scheduled__2026-03-01T02:00*\n"
    )
    (trace,) = traces_of({key: [{"text": text, "title": "superseded"}]}, lambda: [], mark_of=lambda key: "m")
    record = {
        "created_at": "2026-03-01",
        "rows": [{"doc_id": "other", "state": "replaced", "version": "0123456789abcdef", "status": "published"}],
        "dag_id": "reconcile_index",
        "run_id": "scheduled__2026-03-01T02:00:00+00:00",
        "when": "20260301T120000Z",
    }
    assert Scrubber([trace]).record(record) == record
    assert Scrubber([trace]).bytes(json.dumps(record).encode()) == json.dumps(record).encode()
    assert trace.names == ()


def test_an_ordinary_word_that_a_person_gives_goes_from_sentences_only() -> None:
    (trace,) = traces_of({KEY: [{"text": "x"}]}, lambda: [], mark_of=lambda key: "m", phrases=["published"])
    assert trace.samples == ("published",)
    record = {"status": "published", "why": "it was published by her"}
    assert Scrubber([trace]).record(record) == {"status": "published", "why": "it was m by her"}


def test_an_ordinary_word_as_an_id_goes_only_where_it_is_an_id() -> None:
    trace = Trace(DocumentKey("handbook", "created"), "erased-1")
    record = {
        "state": "created",
        "rows": [{"doc_id": "created", "detail": "of her", "version": "9f3"}, {"doc_id": "other", "detail": "x"}],
    }
    clean = Scrubber([trace]).record(record, source="handbook")
    assert clean == {
        "state": "created",
        "rows": [{"doc_id": "erased-1", "detail": "", "version": ""}, {"doc_id": "other", "detail": "x"}],
    }
    assert Scrubber([trace]).record(record, source="elsewhere") == record


def test_every_place_is_on_the_page_for_the_privacy_officer(tmp_path: Path) -> None:
    settings = Settings.model_validate(
        {
            "sources": {"handbook": {"kind": "git_markdown", "options": {"location": "."}}},
            "state": str(tmp_path),
            "ledger": str(tmp_path / "ledger"),
        }
    )
    places = registry(Application(settings), Surroundings(tmp_path, tmp_path, "sqlite://", True))
    page = (Path(__file__).parents[2] / "docs" / "ERASURE.md").read_text().casefold()
    assert len(places) > 8
    assert [place.name for place in places if place.name.casefold() not in page] == []


def test_an_erasure_is_open_until_the_same_documents_were_erased_completely() -> None:
    partial = Receipt(
        "20260301120000-a",
        ReceiptState.PARTIAL,
        "a",
        "ada",
        "rule",
        rfc3339(NOON),
        sources=("handbook",),
        open=("x: y",),
    )
    killed = replace(partial, erasure_id="20260301120000-b", checksum="b", state=ReceiptState.RUNNING, open=())
    done = replace(partial, erasure_id="20260302120000-a", state=ReceiptState.COMPLETE)
    now = NOON + timedelta(days=3)
    alarms = erasure_alerts([killed, partial], source="handbook", now=now)
    assert [each.name for each in alarms] == [*ERASURE_ALERTS] * 2
    assert "3 days after it began: x: y" in alarms[1].message
    assert "it did not end" in alarms[0].message
    assert erasure_alerts([done, partial], source="handbook", now=now) == []
    assert erasure_alerts([partial], source="site", now=now) == []


def test_a_receipt_that_cannot_be_read_is_open_and_hides_no_other(tmp_path: Path) -> None:
    state = StateRoot(str(tmp_path))
    done = Receipt("20260302120000-a", ReceiptState.COMPLETE, "a", "ada", "rule", rfc3339(NOON), sources=("handbook",))
    FileReceipts(state).save(done)
    state.write("erasures/20260301120000-b/receipt.json", b"{")
    found = FileReceipts(state).all()
    assert found[0] == done
    (alarm,) = erasure_alerts(found, source="handbook", now=NOON + timedelta(days=3))
    assert "20260301120000-b" in alarm.message
    assert "cannot be read" in alarm.message


def test_a_log_is_overwritten_in_place_while_its_writer_goes_on(tmp_path: Path) -> None:
    with (tmp_path / "task.log").open("a") as writer:
        writer.write(f"read {KEY.doc_id} and {json.dumps(PHRASE)}\n")
        writer.flush()
        report = LogFiles("logs", tmp_path).clear([TRACE])
        writer.write("next\n")
    assert (report.ending.value, report.before) == ("cleared", 1)
    left = (tmp_path / "task.log").read_text()
    assert left.startswith("read xxx")
    assert left.endswith("\nnext\n")
    assert FileSearch({"place": tmp_path}).search([TRACE]).hits == ()

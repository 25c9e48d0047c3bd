"""Signs that are weak alone: what a document calls itself, a page that is gone, silence, no links to it."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from include.domain.dates import rfc3339
from include.domain.documents import Presence, Status
from include.records.query_log import AskedQuestion, QueryLog, Shown
from include.records.state import StateRoot
from include.staleness.addresses import Answer, Night, address_gone, answers_of, why_not_believed
from include.staleness.links import live_referrers, orphaned, read_links, targets_in, why_not_proven
from include.staleness.statements import source_says
from include.staleness.usage import Enough, not_retrieved, read_usage, why_not_enough
from tests.fakes.clock import FakeClock
from tests.staleness_subjects import NOW, SOURCE, subject

# -- what it calls itself --


@pytest.mark.parametrize(
    ("status", "strength", "anchor"),
    [
        ("Archived", 0.8, True),
        ("Obsolete", 0.8, True),
        ("⌛️ Superseded by [036. Multi-cluster](036-multi-cluster.md)", 0.8, True),
        ("Accepted, superseded", 0.8, True),
        ("out of date", 0.8, True),
        ("End-of-life", 0.8, True),
        ("no longer valid", 0.8, True),
        ("Deprecated", 0.6, False),
        ("no longer maintained", 0.6, False),
        ("Withdrawn", 0.4, False),
    ],
)
def test_a_document_that_calls_itself_out_of_date_is_believed_as_far_as_the_word_goes(
    status: str, strength: float, anchor: bool
) -> None:
    found = source_says(subject("a", stated_status=status))
    assert found is not None
    assert (found.strength, found.anchor) == (strength, anchor)


@pytest.mark.parametrize(
    "status",
    [
        "Draft",
        "Deferred",
        "Rejected",
        "Active",
        "Final",
        "not obsolete",
        "never deprecated",
        "Needs Revision",
        "",
        None,
    ],
)
def test_what_is_unfinished_put_off_decided_against_or_in_force_is_not_out_of_date(status: str | None) -> None:
    assert source_says(subject("a", stated_status=status)) is None


def test_a_person_who_says_that_it_holds_counts_for_more() -> None:
    assert source_says(subject("a", stated_status="Obsolete", affirmed=True)) is None


def test_a_status_written_otherwise_is_the_same_evidence() -> None:
    one, other = (source_says(subject("a", stated_status=status)) for status in ("Obsolete", "OBSOLETE!"))
    assert one is not None
    assert other is not None
    assert one.fingerprint == other.fingerprint


# -- a page that is gone --

LONG_AGO = NOW - timedelta(days=30)


def pages(gone: int, there: int, *, since: datetime = LONG_AGO) -> dict[str, Answer]:
    return {f"gone-{number}": Answer(Presence.GONE, since) for number in range(gone)} | {
        f"there-{number}": Answer(Presence.PRESENT, since) for number in range(there)
    }


def test_a_page_that_is_gone_for_days_is_a_doubt() -> None:
    found = address_gone(subject("gone-0"), pages(1, 9), now=NOW)
    assert found is not None
    assert (found.strength, found.anchor) == (0.6, False)
    assert "https://docs.example.org/gone-0 answers every night since 2026-05-21 that it is gone" in found.sentence


@pytest.mark.parametrize("presence", [Presence.UNKNOWN, Presence.MOVED, Presence.NOT_PUBLIC, Presence.PRESENT])
def test_any_other_answer_says_nothing(presence: Presence) -> None:
    assert address_gone(subject("a"), {"a": Answer(presence, LONG_AGO)}, now=NOW) is None
    assert address_gone(subject("never asked"), {}, now=NOW) is None


def test_a_page_that_is_away_during_a_deployment_is_not_gone() -> None:
    assert address_gone(subject("gone-0"), pages(1, 9, since=NOW - timedelta(hours=5)), now=NOW) is None


@pytest.mark.parametrize(
    ("gone", "there", "believed"), [(1, 9, True), (2, 8, True), (3, 9, False), (10, 0, False), (0, 0, False)]
)
def test_where_many_pages_are_gone_the_addresses_are_wrong(gone: int, there: int, believed: bool) -> None:
    assert bool(why_not_believed(pages(gone, there))) is not believed


def test_pages_that_do_not_answer_are_counted_nowhere() -> None:
    unknown = {f"x-{number}": Answer(Presence.UNKNOWN, LONG_AGO) for number in range(100)}
    assert why_not_believed(unknown | pages(1, 9)) == ""
    assert "none of 100 pages" in why_not_believed(unknown)


def nights(*gone: str, unread: str = "") -> list[Night]:
    """A night for each text, the latest first: every letter is a document that was not there."""
    return [Night(NOW - timedelta(days=number), frozenset(each), frozenset(unread)) for number, each in enumerate(gone)]


def test_a_page_is_gone_since_the_first_night_without_it_that_no_other_night_breaks() -> None:
    answers = answers_of(nights("ab", "a", "ab", "b"), "abc", now=NOW)
    assert answers is not None
    assert {doc_id: (each.presence, (NOW - each.since).days) for doc_id, each in answers.items()} == {
        "a": (Presence.GONE, 2),
        "b": (Presence.GONE, 0),
        "c": (Presence.PRESENT, 0),
    }


def test_a_page_that_could_not_be_read_is_neither_there_nor_gone() -> None:
    (last, *before) = nights("", "a", "a", "a", "a", unread="a")
    answers = answers_of([last, *before], "a", now=NOW)
    assert answers is not None
    assert answers["a"].presence is Presence.UNKNOWN


def test_old_nights_are_not_believed_and_not_read() -> None:
    assert answers_of([], "a", now=NOW) is None
    assert answers_of([Night(NOW - timedelta(days=15), frozenset("a"))], "a", now=NOW) is None
    coming = iter(nights(*["a"] * 100))
    answers = answers_of(coming, "a", now=NOW)
    assert answers is not None
    assert (NOW - answers["a"].since).days == 14
    assert len(list(coming)) == 84
    coming = iter(nights("", "a", "a"))
    answers_of(coming, "a", now=NOW)
    assert len(list(coming)) == 2, "where nothing is gone only the newest is read"


# -- silence --

DAYS = 100


def asked(questions: int, documents: int, *, never: str = "silent", days: int = DAYS) -> Iterator[dict[str, Any]]:
    """Lines of a log in which every document but one is shown in turn, three a question."""
    names = [f"doc-{number}" for number in range(documents)]
    turn = random.Random(1)
    for number in range(questions):
        at = NOW - timedelta(days=days) + timedelta(days=days) * number / questions
        shown = [{"source": SOURCE, "doc_id": doc_id} for doc_id in turn.sample(names, 3) if doc_id != never]
        yield {"at": rfc3339(at), "shown": shown, "sources": []}


def test_a_document_that_was_never_shown_among_many_that_were_is_a_weak_sign() -> None:
    usage = read_usage(asked(2000, 100), SOURCE, until=NOW)
    assert why_not_enough(usage, 100) == ""
    found = not_retrieved(subject("silent", read_at=NOW - timedelta(days=400)), usage)
    assert found is not None
    assert (found.strength, found.anchor) == (0.35, False)
    assert found.sentence == "it was not shown once for 2000 questions in 100 days"
    assert not_retrieved(subject("doc-1", read_at=NOW - timedelta(days=400)), usage) is None


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(subject("silent", read_at=NOW - timedelta(days=99)), id="it was not there all the time"),
        pytest.param(subject("silent"), id="nobody knows since when it is there"),
        pytest.param(subject("silent", status=Status.STAGED, read_at=NOW - timedelta(days=400)), id="it is hidden"),
    ],
)
def test_silence_says_nothing_of_what_could_not_be_shown(one: Any) -> None:
    assert not_retrieved(one, read_usage(asked(2000, 100), SOURCE, until=NOW)) is None


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ([], "no question was recorded"),
        (list(asked(2000, 100, days=80)), "reaches back 80 days, 90 are needed"),
        (list(asked(900, 20)), "900 questions were recorded, 1000 are needed"),
        (list(asked(1500, 1000)), "a document was shown 4.5 times on average, 12.0 are needed"),
        ([*asked(2000, 100), {"at": rfc3339(NOW), "dropped": 21}], "21 questions were not recorded, beside 2000"),
    ],
)
def test_a_log_that_holds_too_little_says_nothing_and_says_so(lines: list[dict[str, Any]], why: str) -> None:
    documents = 1000 if len(lines) == 1500 else 100 if len(lines) != 900 else 20
    assert why in why_not_enough(read_usage(lines, SOURCE, until=NOW), documents)


def test_so_much_is_enough_that_an_average_document_is_hardly_silent_by_chance() -> None:
    assert Enough(seldom=0.25, by_chance=0.05).shown_per_document == pytest.approx(11.98, abs=0.01)


def test_questions_to_other_sources_lines_without_an_instant_and_lines_of_tomorrow_are_none() -> None:
    lines: list[dict[str, Any]] = [
        {"at": rfc3339(NOW), "shown": [], "sources": ["another"]},
        {"at": rfc3339(NOW), "shown": [{"source": "another", "doc_id": "a"}], "sources": ["another", SOURCE]},
        {"at": "yesterday", "shown": [{"source": SOURCE, "doc_id": "a"}]},
        {"shown": [{"source": SOURCE, "doc_id": "a"}]},
        {"at": rfc3339(NOW + timedelta(days=1)), "shown": [{"source": SOURCE, "doc_id": "a"}]},
    ]
    usage = read_usage(lines, SOURCE, until=NOW)
    assert (usage.questions, dict(usage.shown)) == (1, {})


def test_the_lines_are_those_that_the_query_log_writes(tmp_path: Any) -> None:
    clock = FakeClock(NOW)
    log = QueryLog(StateRoot(str(tmp_path)), clock, every=0.01)
    shown = (Shown(SOURCE, "a", "1", 0.5), Shown(SOURCE, "a", "1", 0.4), Shown("another", "b", "1", 0.3))
    log.record(AskedQuestion("r1", NOW, "key", "question", "plain", (), 5, shown, 9, 1.0))
    log.close()
    usage = read_usage(log.since(NOW - timedelta(days=1)), SOURCE, until=NOW)
    assert (usage.questions, dict(usage.shown), usage.first) == (1, {"a": 1}, NOW)


# -- links --


def site(pages_: int, *, links: int = 3, lost: frozenset[str] = frozenset({"guide/page-0.md"})) -> Any:
    """Pages that link to the next ones; nobody links to those that are lost."""
    names = [f"guide/page-{number}.md" for number in range(pages_)]
    subjects = [subject(name) for name in names]
    written = {
        name: [
            target
            for step in range(1, links + 1)
            if f"guide/{(target := f'page-{(number + step) % pages_}.md')}" not in lost
        ]
        for number, name in enumerate(names)
    }
    return subjects, written


def test_a_page_that_no_page_links_to_is_a_weak_sign_where_links_are_proven() -> None:
    subjects, written = site(30)
    links = read_links(subjects, written, declared=True)
    live = frozenset(each.key.doc_id for each in subjects)
    assert why_not_proven(links) == ""
    found = orphaned(subjects[0], links, live)
    assert found is not None
    assert (found.strength, found.anchor) == (0.2, False)
    assert orphaned(subjects[1], links, live) is None


def test_links_from_documents_that_readers_do_not_see_do_not_count() -> None:
    subjects, written = site(30)
    links = read_links(subjects, written, declared=True)
    assert orphaned(subjects[9], links, frozenset({"guide/page-1.md"})) is not None


@pytest.mark.parametrize("doc_id", ["guide/index.md", "guide/README.md", "about.md"])
def test_an_entrance_needs_no_link(doc_id: str) -> None:
    subjects, written = site(30)
    links = read_links([*subjects, subject(doc_id)], written, declared=True)
    assert orphaned(subject(doc_id), links, links.doc_ids) is None


@pytest.mark.parametrize(
    ("material", "declared", "why"),
    [
        (site(30), False, "not declared"),
        (site(5, links=2), True, "8 links within it were found, 20 are needed"),
        (site(30, lost=frozenset(f"guide/page-{number}.md" for number in range(12))), True, "12 of 30 documents"),
        ((site(30)[0], {"guide/page-0.md": [f"nowhere-{each}.md" for each in range(40)]}), True, "0 of 40 links lead"),
    ],
)
def test_where_links_do_not_show_how_pages_are_found_no_page_is_an_orphan(
    material: Any, declared: bool, why: str
) -> None:
    subjects, written = material
    assert why in why_not_proven(read_links(subjects, written, declared=declared))


def test_a_page_that_links_to_the_heir_too_does_not_depend_on_the_old_one() -> None:
    subjects = [subject(name) for name in ("decks/march.md", "decks/june.md", "list.md", "faq.md")]
    written = {"list.md": ["decks/march.md", "decks/june.md"], "faq.md": ["decks/march.md"]}
    links = read_links(subjects, written, declared=True)
    live = links.doc_ids
    assert live_referrers(subjects[0], links, live) == ("faq.md", "list.md")
    assert live_referrers(subjects[0], links, live, heir="decks/june.md") == ("faq.md",)


def test_targets_are_read_from_markdown_and_restructuredtext_and_not_from_code() -> None:
    text = (
        "See [one](a.md), ![a picture](b.png), [two](<c d.md> \"title\") and [three][ref].\n\n[ref]: ../e.md 'E'\n\n"
        "```\n[code](never.md)\n```\n\n`four <f.rst>`_ and :doc:`g` and :doc:`five <h>` and [again](a.md)\n"
    )
    assert targets_in(text) == ("a.md", "c d.md", "../e.md", "f.rst", "g", "h")


@pytest.mark.parametrize(
    ("target", "counts"),
    [
        ("#part", 0),
        ("mailto:a@b.c", 0),
        ("https://elsewhere.org/x", 0),
        ("picture.png", 0),
        ("http://[b", 0),
        ("b.md#part", 1),
    ],
)
def test_only_links_that_stay_within_the_source_are_counted(target: str, counts: int) -> None:
    links = read_links([subject("a.md"), subject("b.md")], {"a.md": [target]}, declared=True)
    assert (links.within, links.resolved) == (counts, counts)


def test_a_link_by_address_is_one_by_path() -> None:
    links = read_links([subject("a.md"), subject("b.md")], {"a.md": ["https://docs.example.org/b.md"]}, declared=True)
    assert links.referrers == {"b.md": frozenset({"a.md"})}

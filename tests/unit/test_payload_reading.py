"""A stored chunk is read as it is: what is absent, of another kind or cannot be read is unknown."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from include.domain.payload import instant_of, text_of, texts_of


@pytest.mark.parametrize("value", [None, "", "yesterday", "2026-06-01", 20260601, "0001-01-01T00:00:00+14:00"])
def test_a_date_that_cannot_be_read_is_unknown(value: object) -> None:
    assert instant_of({"created_at": value}, "created_at") is None


def test_what_is_stored_comes_back() -> None:
    payload = {"title": "Prices", "superseded_by": ["a", 7, "b"], "created_at": "2026-06-01T02:00:00+02:00"}
    assert text_of(payload, "title") == "Prices"
    assert text_of(payload, "url") == ""
    assert texts_of(payload, "superseded_by") == ("a", "b")
    assert texts_of(payload, "title") == ()
    assert instant_of(payload, "created_at") == datetime(2026, 6, 1, tzinfo=UTC)

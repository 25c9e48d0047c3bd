"""What the words mean that registers and people use for the state of a document; unknown words mean nothing."""

from __future__ import annotations

import pytest

from include.families.standing import Standing, is_evergreen, is_stated_canonical, standing_of


@pytest.mark.parametrize(
    ("status", "standing"),
    [
        *((word, Standing.IN_FORCE) for word in ("Final", "active", "Accepted", "Deployed", "Complete", "approved")),
        *(
            (word, Standing.IN_FORCE)
            for word in ("published", "PROPOSED STANDARD", "In force", "Best Current Practice")
        ),
        *((word, Standing.PENDING) for word in ("Draft", "Proposed", "Experimental", "Provisional", "in review")),
        *((word, Standing.PENDING) for word in ("Final draft", "working draft", "Last Call", "Needs Revision")),
        *((word, Standing.STALLED) for word in ("Deferred", "postponed", "Dormant", "on hold", "Incomplete")),
        *((word, Standing.RETIRED) for word in ("Withdrawn", "Rejected", "Retracted", "Humorous", "April Fool!")),
        *((word, Standing.RETIRED) for word in ("Closed", "deprecated", "no longer maintained", "Historic", "expired")),
        *((word, Standing.SUPERSEDED) for word in ("Superseded", "superceded", "Replaced", "Obsolete")),
        ("Accepted, superseded", Standing.SUPERSEDED),
        *((word, Standing.UNKNOWN) for word in (None, "", "not approved", "green", "200 OK", "3", "—", "noch offen")),
    ],
)
def test_a_status_stands_for(status: str | None, standing: Standing) -> None:
    assert standing_of(status) is standing


def test_what_says_nothing_holds_like_what_is_in_force() -> None:
    assert [each for each in Standing if each.holds] == [Standing.IN_FORCE, Standing.UNKNOWN]
    assert [each for each in Standing if each.is_over] == [Standing.RETIRED, Standing.SUPERSEDED]


def test_canonical_and_evergreen_are_stated_in_so_many_words() -> None:
    assert is_stated_canonical("Canonical")
    assert not is_stated_canonical("approved")
    assert is_evergreen("evergreen", "page")
    assert is_evergreen(None, "Evergreen")
    assert not is_evergreen("Final", "page")

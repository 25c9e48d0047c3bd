"""The review queue of the resolver: one file for each family that a person has to decide.

    review/<source>/families/<family>-<digest>.yaml

A file is rewritten only when the question changes and removed when it is answered, with one commit for each run.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import replace

from pydantic import TypeAdapter

from include.families.review import FamilyReview
from include.records.yaml_records import YamlRecords

_REVIEW = TypeAdapter(FamilyReview)
_LONGEST_NAME = 60


class FamilyReviews(YamlRecords):
    """The part of ports.Ledger that is about ambiguous families."""

    def reviews(self, source: str) -> Sequence[FamilyReview]:
        """Sorted by family."""
        return sorted(self._open(source).values(), key=lambda review: review.family)

    def review(self, source: str, families: Sequence[FamilyReview]) -> Sequence[FamilyReview]:
        with self._repository.locked():
            standing = self._open(source)
            asked = {}
            for review in families:
                path = _path(review)
                earlier = standing.get(path)
                asked[path] = replace(review, since=earlier.since) if earlier else review
            changed = sorted(path for path, review in asked.items() if standing.get(path) != review)
            settled = sorted(standing.keys() - asked.keys())
            for path in changed:
                self._write(path, _REVIEW.dump_python(asked[path], mode="json"))
            for path in settled:
                (self._folder / path).unlink()
            if changed or settled:
                self._repository.commit(
                    [*changed, *settled],
                    f"Families of {source} for review: {len(changed)} asked about, {len(settled)} settled",
                )
            return sorted(asked.values(), key=lambda review: review.family)

    def _open(self, source: str) -> dict[str, FamilyReview]:
        """By path."""
        folder = f"review/{source}/families"
        names = sorted(path.name for path in (self._folder / folder).glob("*.yaml"))
        found = {f"{folder}/{name}": self._read(_REVIEW, f"{folder}/{name}") for name in names}
        return {path: review for path, review in found.items() if review is not None}


def _path(review: FamilyReview) -> str:
    """A name that a person recognises and no other family has."""
    plain = re.sub(r"[^a-z0-9]+", "-", review.family.lower()).strip("-")[:_LONGEST_NAME].rstrip("-")
    digest = hashlib.sha256(review.family.encode()).hexdigest()[:8]
    return f"review/{review.source}/families/{plain}{'-' if plain else ''}{digest}.yaml"

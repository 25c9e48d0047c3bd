"""Which documents belong together, which are out of date, and what becomes of people's words about them."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from include.families.grouping import Needed
from include.settings.model import Model
from include.staleness.ageing import Ageing
from include.staleness.usage import Enough


class FamilySettings(Model):
    """How much alike texts have to be for a family that their names propose: cosines, by the bundled embedder."""

    alike_revisions: float = Field(0.6, ge=-1, le=1, description="versions in file names and titles")
    alike_folders: float = Field(0.4, ge=-1, le=1, description="the same page in trees of versions")
    alike_periods: float = Field(0.25, ge=-1, le=1, description="each true for its own time: minutes, annual reports")

    def needed(self) -> Needed:
        return Needed(self.alike_revisions, self.alike_folders, self.alike_periods)


class StalenessSettings(Model):
    """What the detector takes for out of date."""

    never: tuple[str, ...] = Field(("fact",), description="content types that never grow old and are never candidates")
    review_days: int | None = Field(None, ge=1, description="age at which a document should be looked at; null: never")
    review_days_of: dict[str, Annotated[int, Field(ge=1)]] = Field(
        default_factory=dict, description="the same for single content types"
    )
    compare_texts: bool = Field(True, description="whether all texts of a source are compared for near duplicates")
    unseen_days: int = Field(90, ge=1, le=3650, description="not shown for so long counts as a sign …")
    unseen_questions: int = Field(1000, ge=1, description="… where so many questions at least were asked meanwhile")

    @model_validator(mode="after")
    def _no_type_is_both(self) -> StalenessSettings:
        if both := {name.casefold() for name in self.never} & {name.casefold() for name in self.review_days_of}:
            raise ValueError(f"review_days_of and never: {', '.join(sorted(both))} is in both; take it out of one")
        return self

    def ageing(self) -> Ageing:
        days = {name.casefold(): days for name, days in self.review_days_of.items()}
        return Ageing(frozenset(name.casefold() for name in self.never), days, self.review_days)

    def enough(self) -> Enough:
        return Enough(days=self.unseen_days, questions=self.unseen_questions)


class ReviewSettings(Model):
    """What is done with decisions of the review queue."""

    apply_daily: bool = Field(
        False, description="whether the daily run carries out what was decided; otherwise it says what waits"
    )

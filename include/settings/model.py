"""What all settings have in common."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """Read once and never changed; an option that nobody knows is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)

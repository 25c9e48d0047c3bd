"""One source: its connector, its limits, its events, and what a purge does to it."""

from __future__ import annotations

import re
from typing import Any, Literal

import jmespath
from jmespath.exceptions import JMESPathError
from pydantic import Field, field_validator, model_validator

from include.planning.limits import Limits
from include.settings.model import Model


class LimitSettings(Model):
    deletion_percent: float = Field(10, ge=0, le=100, description="more deletions of a source in one run are held")
    window_percent: float = Field(25, ge=0, le=100, description="more deletions within the window are held")
    window_days: int = Field(7, ge=1, le=90, description="length of the sliding window")
    update_percent: float = Field(25, gt=0, le=100, description="more rewritten documents in one run are held")
    update_allowance: int = Field(10, ge=0, description="so many rewritten documents are never a mass update")
    same_text_percent: float = Field(10, gt=0, le=100, description="more documents turning into one text are held")
    same_text_minimum: int = Field(3, ge=2, description="so many documents at least make one text suspicious")

    def limits(self) -> Limits:
        return Limits(**self.model_dump())


class HmacSettings(Model):
    """A signature that none of the named schemes knows: how the sender writes it, and over what."""

    header: str = Field(pattern=r"^[A-Za-z0-9-]+$", description="header that carries the signature")
    algorithm: Literal["sha256", "sha512", "sha1"] = "sha256"
    encoding: Literal["hex", "base64"] = "hex"
    prefix: str = Field("", description="what stands before the signature in its header, for example sha256=")
    field: str = Field("", description="name of the signature, where the header is a list of name=value")
    signed: str = Field("{body}", description="the signed text, of {body}, {timestamp} and {id}")
    timestamp_header: str = Field("", description="header with the instant of signing")
    timestamp_field: str = Field("", description="its name, where it is in the list of the signature's header")
    timestamp_unit: Literal["seconds", "milliseconds", "rfc3339"] = "seconds"
    id_header: str = Field("", description="header with the delivery's id")

    @model_validator(mode="after")
    def _only_what_is_signed_counts(self) -> HmacSettings:
        places = re.findall(r"\{(\w*)\}", self.signed)
        if "body" not in places or set(places) - {"body", "timestamp", "id"}:
            raise ValueError("signed: must contain {body}, and besides only {timestamp} and {id}")
        if self.timestamp_header and self.timestamp_field:
            raise ValueError("timestamp_header or timestamp_field, not both")
        if self.timestamp_field and not self.field:
            raise ValueError("timestamp_field: only in a header that is a list; `field` names the signature there")
        for place, given in (
            ("timestamp", self.timestamp_header or self.timestamp_field),
            ("id", self.id_header),
        ):
            if (place in places) is not bool(given):
                raise ValueError(
                    f"{place}: must be named by an option and be part of `signed`, or neither; what is not signed "
                    "can be changed by anybody"
                )
        return self


class WebhookSettings(Model):
    """How a source tells us that something changed: `POST /truecopy/hooks/<source>`."""

    scheme: Literal["standard", "github", "ghost", "contentful", "strapi", "zendesk", "hmac"]
    conn_id: str = Field(min_length=1, description="Airflow Connection whose password is the shared secret")
    documents: tuple[str, ...] | None = Field(
        None, description="JMESPath expressions of the ids in the payload; none: look at the whole source"
    )
    tolerance_seconds: int = Field(300, ge=10, le=3600, description="how old, or ahead, a signed instant may be")
    max_bytes: int = Field(1_048_576, ge=1024, le=26_214_400, description="largest body that is read")
    coalesce_seconds: float = Field(5, ge=0, le=300, description="events of so long are answered by one look")
    settle_seconds: float = Field(60, ge=0, le=3600, description="a look that found nothing is repeated after this")
    path: str = Field("", description="contentful: path of the address that is called, where a proxy changes it")
    header: str = Field("Authorization", pattern=r"^[A-Za-z0-9-]+$", description="strapi: header with the secret")
    hmac: HmacSettings | None = Field(None, description="scheme hmac: how the signature is written")

    @field_validator("documents")
    @classmethod
    def _are_expressions(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for expression in value or ():
            try:
                jmespath.compile(expression)
            except JMESPathError as error:
                raise ValueError(f"{expression!r} is not a JMESPath expression: {error}") from None
        return value

    @model_validator(mode="after")
    def _fits_its_scheme(self) -> WebhookSettings:
        if (self.scheme == "hmac") is not (self.hmac is not None):
            raise ValueError("scheme hmac needs the options `hmac`, and no other scheme has them")
        return self


class PurgeSettings(Model):
    """What approve-purge does to the documents of a source."""

    commit: bool = Field(
        True, description="git: whether it is a commit in the repository; false: they are kept out of the index only"
    )
    push: bool = Field(False, description="git: whether the branch with the commit is pushed to the repository")
    author: str = Field(
        "truecopy <truecopy@localhost>",
        pattern=r"^[^<>\n]+ <[^<>\s]+>$",
        description="git: who commits, Name <address>",
    )

    def author_parts(self) -> tuple[str, str]:
        name, _, address = self.author.partition(" <")
        return name.strip(), address.removesuffix(">")


class SourceSettings(Model):
    kind: str = Field(description="connector: git_markdown, http_json, sitemap or wordpress")
    conn_id: str | None = Field(None, description="Airflow Connection with the source's credentials")
    options: dict[str, Any] = Field(default_factory=dict, description="options of the connector")
    limits: LimitSettings | None = Field(None, description="overrides the installation's limits, whole")
    webhook: WebhookSettings | None = Field(None, description="how the source's events are verified; none: no door")
    purge: PurgeSettings = PurgeSettings()
    links_are_complete: bool = Field(
        False, description="all links between its documents are in their texts, so one that none leads to is an orphan"
    )

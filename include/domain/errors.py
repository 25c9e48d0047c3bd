"""Errors, grouped by what the caller does next.

    TruecopyError
    ├── Retriable                 try again later, nothing is known to be wrong with the request
    │   ├── SourceUnavailable         the source did not answer, or not with what it should
    │   ├── StoreBusy                 another process holds the index
    │   ├── StoreUnavailable          the index did not answer, or did not complete a write
    │   └── ChangeUnderway            another run changes the metadata of this source
    ├── Skippable                 this document fails alone, the others go on
    │   ├── DocumentGone              the source says: there is no such document
    │   ├── DocumentNotPublic         the source says: it exists and is not for everybody
    │   ├── DocumentUnreadable        it was delivered and cannot be parsed or used
    │   └── DocumentIncomplete        its chunks did not all arrive in the index
    ├── Held                      a person must decide
    │   ├── ApprovalRefused           a release was missing, stale, expired or already used
    │   ├── ChangeRefused             a change of metadata that somebody has to look at again
    │   └── DecisionConflict          somebody decided otherwise, or what was decided about is another by now
    └── Fatal                     retrying cannot help; somebody has to change something
        ├── ConfigError               a setting is wrong
        ├── ListingNotProven          absence cannot be concluded from this listing
        ├── EmbedderMismatch          the index was built by another embedder
        ├── AuditFailed               the index does not say what was written into it
        └── UnsafeSelector            a delete selector that could match more than one document

Every message states what it is about, the numbers, and the next step. The facts are attributes too
(`facts`), so that a manifest can keep them without parsing prose.
"""

from __future__ import annotations


class TruecopyError(Exception):
    """Root of everything truecopy raises on purpose. `facts` holds the same data as the message."""

    def __init__(self, message: str, **facts: object) -> None:
        super().__init__(message)
        self.facts = facts


class Retriable(TruecopyError):
    """Trying again later may succeed."""


class Skippable(TruecopyError):
    """One document fails; the run goes on and lists it."""


class Held(TruecopyError):
    """Nothing is wrong with the machine; a person has to decide."""


class Fatal(TruecopyError):
    """Retrying cannot help."""


class SourceUnavailable(Retriable):
    """A time-out, a refused connection, a 5xx, an HTML page where JSON was due: never an empty source."""


class StoreBusy(Retriable):
    """Another process holds the embedded index longer than we are willing to wait."""


class StoreUnavailable(Retriable):
    """The index did not answer or did not complete a write."""


class DocumentGone(Skippable):
    """The source was asked for this one document and says that it does not exist."""


class DocumentNotPublic(Skippable):
    """The source was asked for this one document and says that it is not public."""


class DocumentUnreadable(Skippable):
    """The document arrived but cannot be parsed or used; its last good version stays."""


class DocumentIncomplete(Skippable):
    """The index does not hold every chunk of the version; the previous version stays."""


class ChangeUnderway(Retriable):
    """Another run is changing the metadata of this source; two at once could not be told apart by their audits."""


class ApprovalRefused(Held):
    """A release is missing, expired, used, or names another plan than the one computed now."""


class ChangeRefused(Held):
    """A change of metadata is not the one that was looked at, overlaps with a later one, or hides too much."""


class DecisionConflict(Held):
    """Two words on one candidate, or a word on a candidate that is not what it was."""


class ConfigError(Fatal):
    """A setting is wrong; the message names file, key, value and what is allowed."""


class ListingNotProven(Fatal):
    """A deletion was about to be planned from an inventory that proves no absence."""


class EmbedderMismatch(Fatal):
    """The configured embedder is not the one that built the collection."""


class UnsafeSelector(Fatal):
    """A delete selector is empty or does not name exactly one document."""


class AuditFailed(Fatal):
    """Metadata read back from the index are not what was written, or other documents changed too."""

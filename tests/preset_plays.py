"""The state tables of the presets as cases, and how each line of one is played on a site."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from include.connectors.registry import PRESETS
from include.domain.documents import Presence
from include.domain.errors import DocumentGone, DocumentNotPublic
from include.domain.inventory import Listing
from include.domain.manifest import Manifest, RunState
from tests.fakes.cms_models import MODELS
from tests.preset_sites import Site


@dataclass(frozen=True)
class Row:
    """One line of the table in a preset."""

    preset: str
    action: str
    listed: str
    by_id: str
    webhook: str
    index: str

    def __str__(self) -> str:
        return f"{self.preset}: {self.action}"


def table_of(preset: str) -> list[Row]:
    lines = (PRESETS / f"{preset}.yaml").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.removeprefix("#").split("|")] for line in lines if line.startswith("#")]
    return [Row(preset, *row) for row in cells if len(row) == 5][1:]


ROWS = [row for preset in MODELS for row in table_of(preset)]

Act = Callable[[Site], None]


@dataclass(frozen=True)
class Play:
    """How a row is played: `before` the first night, and what is done after it."""

    act: Act
    before: Act = lambda site: None


def _write_draft(site: Site) -> None:
    site.cms.unpublish(site.one)


def _wait(site: Site) -> None:
    site.clock.turn(hours=3 * 24)


def _callout(site: Site) -> None:
    site.cms.write("note", "text of the callout", kind="callout")
    site.cms.publish("note")
    site.cms.publish(site.one, embeds=("note",))


NEW_TEXT = "quite another text"
RENAMED = {"slug": "another-slug"}
PUBLISH = Play(lambda site: site.cms.publish(site.one), before=_write_draft)
EDIT = Play(lambda site: site.cms.publish(site.one, text=NEW_TEXT))
UNPUBLISH = Play(lambda site: site.cms.unpublish(site.one))
DELETE = Play(lambda site: site.cms.delete(site.one))
DUE = Play(_wait, before=lambda site: (_write_draft(site), site.cms.schedule(site.one, live=2))[0])
DOWN = Play(_wait, before=lambda site: site.cms.schedule(site.one, down=2))


def _restrict(audience: object) -> Play:
    return Play(lambda site: site.cms.restrict(site.one, audience))


PLAYS = {
    "publish a draft": PUBLISH,
    "publish again": PUBLISH,
    "edit": EDIT,
    "edit and publish": EDIT,
    "save a draft over it": Play(lambda site: site.cms.edit(site.one, text=NEW_TEXT)),
    "publish without a change": Play(lambda site: site.cms.publish(site.one)),
    "rename the slug": Play(lambda site: site.cms.publish(site.one, **RENAMED)),
    "rename the slug and publish": Play(lambda site: site.cms.publish(site.one, **RENAMED)),
    "change the title": Play(lambda site: site.cms.publish(site.one, title="Another title", **RENAMED)),
    "unpublish": UNPUBLISH,
    "unpublish this translation": UNPUBLISH,
    "delete": DELETE,
    "delete for good": DELETE,
    "delete many at once": Play(lambda site: site.cms.delete(*(site.cms.name(number) for number in range(5, 9)))),
    "archive": Play(lambda site: site.cms.archive(site.one)),
    "unarchive": Play(
        lambda site: site.cms.archive(site.one, archived=False), before=lambda site: site.cms.archive(site.one)
    ),
    "restore": Play(
        lambda site: (site.cms.archive(site.one, archived=False), site.cms.publish(site.one))[1],
        before=lambda site: site.cms.archive(site.one),
    ),
    "schedule": Play(lambda site: site.cms.schedule(site.one, live=90), before=_write_draft),
    "schedule in a release": Play(lambda site: site.cms.schedule(site.one, live=90), before=_write_draft),
    "a schedule comes due": DUE,
    "a release comes due": DUE,
    "a scheduled unpublish is due": DOWN,
    "a release unpublishes it": DOWN,
    "send by mail only": Play(lambda site: site.cms.send_by_mail(site.one), before=_write_draft),
    "restrict to members": _restrict("members"),
    "restrict to paying members": _restrict("paid"),
    "restrict to a user segment": _restrict(7001),
    "restrict to several segments": _restrict([7001, 7002]),
    "open to everybody again": Play(
        lambda site: site.cms.restrict(site.one, None), before=lambda site: site.cms.restrict(site.one, "members")
    ),
    "rename a tag": Play(lambda site: site.cms.rename_tag(site.one)),
    "edit an embedded entry": Play(lambda site: site.cms.publish("note", text=NEW_TEXT), before=_callout),
    "unpublish an embedded entry": Play(lambda site: site.cms.unpublish("note"), before=_callout),
}


def play(site: Site, row: Row) -> None:
    """Play a row: a night, the action, what the source says of it, another night."""
    PLAYS[row.action].before(site)
    site.clock.turn(hours=1)
    assert site.night().state is RunState.TRUE
    before, listing_before = site.indexed(), site.connector.list_documents()
    PLAYS[row.action].act(site)
    site.clock.turn(hours=1)
    listing = site.connector.list_documents()
    assert listing.complete, listing.proof.problem
    assert _says_the_list(site, listing_before, listing) == row.listed
    assert _says_the_page(site) == row.by_id
    manifest = site.night()
    assert manifest.state is (RunState.HELD if row.index == "held" else RunState.TRUE), manifest.reason
    after = site.indexed()
    assert became_of(before.get(site.one), after.get(site.one), manifest) == row.index
    before.pop(site.one, None)
    after.pop(site.one, None)
    assert before == after


def _says_the_list(site: Site, before: Listing, now: Listing) -> str:
    old, new = before.documents.get(site.one), now.documents.get(site.one)
    if new is None:
        return "not public" if now.proof.seen > len(now.documents) else "absent"
    return "new" if old is None else "unchanged" if old.version == new.version else "changed"


def _says_the_page(site: Site) -> str:
    """By the fetch; the probe must say the same."""
    presence = site.connector.probe(site.one)
    try:
        site.connector.fetch(site.one)
    except DocumentGone:
        assert presence is Presence.GONE
        return "gone"
    except DocumentNotPublic:
        assert presence is Presence.NOT_PUBLIC
        return "not public"
    assert presence is Presence.PRESENT
    return "text"


def became_of(before: tuple[object, ...] | None, after: tuple[object, ...] | None, manifest: Manifest) -> str:
    if manifest.state is RunState.HELD:
        assert before == after
        return "held"
    if after is None:
        return "not in it" if before is None else "removed"
    if before is None:
        return "added"
    if before[0] != after[0]:
        return "replaced"
    return "unchanged" if before == after else "new address"

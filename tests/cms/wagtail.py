"""A real Wagtail with editors who do at random what editors do: a site for `tests.cms.life`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import requests
from selectolax.lexbor import LexborHTMLParser

from include.connectors import registry
from include.ports import Clock, Connector
from tests.cms.rich_text import Blocks, new_section, new_text, to_form
from tests.cms.wagtail_admin import ROOT, ZONE, Page, WagtailAdmin
from tests.cms.wagtail_process import WagtailProcess
from tests.cms.words import heading, unique_word

PAGES_AT_FIRST, MOST_PAGES = 12, 45
NO_SCHEDULE = {"go_live_at": "", "expire_at": ""}


class _NothingFits(Exception):
    """There is no page to do this to; the editor does something else."""


class WagtailSite:
    """`life.EditorsSite`. The first page is edited, but never hidden or moved."""

    source = "handbook"
    connector_kind = "http_json"

    def __init__(self, folder: Path) -> None:
        """Raises PeerUnavailable."""
        self.process = WagtailProcess(folder)
        self.admin = WagtailAdmin(self.process.url)
        self._random = Random(0)
        self._pages: Sequence[Page] = ()
        self._free_slugs: list[str] = []  # of pages that were deleted or renamed: editors use them again
        self._first, *_ = (self.admin.publish(self._random).id for _ in range(PAGES_AT_FIRST))

    def visible(self) -> dict[str, str]:
        self.admin.pages()
        with requests.Session() as reader:
            texts = {str(page.id): _text(reader, page) for page in self.admin.known.values()}
        return {doc_id: text for doc_id, text in texts.items() if text is not None}

    def is_readable(self, page_id: int) -> bool:
        """Of one page what `visible` says of all."""
        self.admin.pages()
        with requests.Session() as reader:
            return _text(reader, self.admin.known[page_id]) is not None

    @property
    def connector_options(self) -> Mapping[str, object]:
        return {
            "preset": "wagtail",
            "base_url": f"{self.process.url}/api/v2/",
            "list": {"params": {"type": "handbook.DocPage"}},
            # A site of our own need not be spared, and a fault is no less one the second time.
            "http": {"requests_per_second": 1000, "burst": 1000, "retries": 1, "backoff": 0.05, "retry_after_max": 0},
        }

    def open_connector(self, clock: Clock) -> Connector:
        return registry.build(
            self.connector_kind, self.source, self.connector_options, clock=clock, cache_dir=self.process.folder
        )

    def send_events_to(self, url: str, secret: str) -> None:
        self.process.send_events_to(url, secret)

    def stop(self) -> None:
        self.admin.close()
        self.process.stop()

    def act(self, random: Random) -> str:
        self._random, self._pages = random, self.admin.pages()
        calm, crowded = zip(*self._actions().values(), strict=True)
        weights = crowded if len(self._pages) > MOST_PAGES else calm
        while True:
            (action,) = random.choices(list(self._actions()), weights)
            try:
                return action()
            except _NothingFits:
                continue

    def _actions(self) -> Mapping[Callable[[], str], tuple[int, int]]:
        """Weight of each action, and its weight when there are many pages."""
        return {
            self._publish: (16, 2),
            self._write_draft: (3, 1),
            self._edit: (12, 12),
            self._edit_draft: (5, 5),
            self._shorten: (7, 7),
            self._rename: (9, 9),
            self._move: (8, 8),
            self._unpublish: (6, 6),
            self._delete: (5, 20),
            self._restore: (5, 5),
            self._republish: (7, 2),
            self._go_live_soon: (4, 2),
            self._go_live_next_year: (2, 1),
            self._unschedule: (2, 1),
            self._expire_soon: (4, 6),
            self._run_cron: (6, 6),
            self._protect: (7, 7),
            self._unprotect: (7, 7),
            self._copy: (3, 0),
            self._alias: (3, 0),
        }

    def _publish(self) -> str:
        parent = self._random.choice([ROOT, *self._parents()])
        page = self.admin.publish(self._random, parent=parent, slug=self._slug(parent))
        return f"publish {_name(page)} below {parent}"

    def _write_draft(self) -> str:
        page = self.admin.publish(self._random, slug=self._slug(ROOT), publish=False)
        return f"write {_name(page)} and keep it a draft"

    def _edit(self) -> str:
        page = self._editable(lambda page: page.live)
        fields = {"body": to_form(_changed(self._random, self.admin.text(page.id)))}
        if self._random.random() < 0.3:
            fields["title"] = heading(self._random)
        self.admin.edit(page.id, fields)
        return f"edit {_name(page)}" + (f" and call it {fields['title']}" if "title" in fields else "")

    def _edit_draft(self) -> str:
        page = self._editable()
        fields = {"title": heading(self._random), "body": to_form(new_text(self._random))}
        self.admin.edit(page.id, fields, publish=False)
        return f"edit a draft of {_name(page)}, publish nothing"

    def _shorten(self) -> str:
        page = self._editable(lambda page: page.live)
        text = self.admin.text(page.id)
        kept = text[: self._random.randint(1, max(1, len(text) - 1))]
        self.admin.edit(page.id, {"body": to_form(kept)})
        return f"shorten {_name(page)} from {len(text)} to {len(kept)} blocks"

    def _rename(self) -> str:
        page = self._editable(lambda page: page.live)
        slug = self._slug(page.parent)
        self.admin.edit(page.id, {"slug": slug})
        self._free_slugs.append(page.slug)
        return f"rename {_name(page)} to /{slug}/ with {len(self._below(page))} pages below it"

    def _move(self) -> str:
        page = self._one(self._may_be_hidden)
        inside = {page.id, page.parent, *(each.id for each in self._below(page))}
        parents = [each for each in self._parents() if each not in inside and page.slug not in self._slugs_below(each)]
        if not parents:
            raise _NothingFits
        parent = self._random.choice(parents)
        self.admin.move(page.id, parent)
        return f"move {_name(page)} below {parent} with {len(self._below(page))} pages below it"

    def _unpublish(self) -> str:
        page = self._editable(lambda page: page.live and self._may_be_hidden(page))
        below = self._random.random() < 0.4
        self.admin.unpublish(page.id, with_descendants=below)
        return f"unpublish {_name(page)}" + (f" and {len(self._below(page))} pages below it" if below else " alone")

    def _delete(self) -> str:
        page = self._one(self._may_be_hidden)
        self.admin.delete(page.id)
        self._free_slugs.append(page.slug)
        return f"delete {_name(page)} and {len(self._below(page))} pages below it"

    def _restore(self) -> str:
        page = self._editable(lambda page: len(page.revisions) > 1)
        revision = self._random.choice(page.revisions[:-1])
        # The old slug may belong to another page by now; an editor would be told, and keep the present one.
        self.admin.edit(page.id, {"slug": page.slug, **NO_SCHEDULE}, revision=revision)
        return f"restore revision {revision} of {_name(page)}"

    def _republish(self) -> str:
        page = self._editable(lambda page: not page.live)
        self.admin.edit(page.id, NO_SCHEDULE)
        return f"publish {_name(page)} again"

    def _go_live_soon(self) -> str:
        page = self._editable()
        at = self.admin.soon()
        self.admin.edit(page.id, {"body": to_form(new_text(self._random)), "go_live_at": at, "expire_at": ""})
        return f"schedule a new text of {_name(page)} ({'live' if page.live else 'not live'}) for {at}"

    def _go_live_next_year(self) -> str:
        at = datetime.now(ZONE) + timedelta(days=365)
        page = self.admin.publish(self._random, slug=self._slug(ROOT), go_live_at=f"{at:%Y-%m-%d %H:%M}")
        return f"schedule {_name(page)} for next year"

    def _unschedule(self) -> str:
        page = self._one(lambda page: page.scheduled is not None)
        self.admin.unschedule(page.id, page.scheduled or 0)
        return f"take back the schedule of {_name(page)}"

    def _expire_soon(self) -> str:
        page = self._editable(lambda page: page.live and self._may_be_hidden(page))
        at = self.admin.soon()
        self.admin.edit(page.id, {"go_live_at": "", "expire_at": at})
        return f"let {_name(page)} expire at {at}"

    def _run_cron(self) -> str:
        self.admin.cron()
        return "publish_scheduled runs"

    def _protect(self) -> str:
        page, how = self._one(self._may_be_hidden), self._random.choice(("password", "login"))
        self.admin.protect(page.id, how)
        return f"protect {_name(page)} and {len(self._below(page))} pages below it by {how}"

    def _unprotect(self) -> str:
        page = self._one(lambda page: page.restriction is not None)
        self.admin.protect(page.id, "none")
        return f"take the {page.restriction} from {_name(page)}"

    def _copy(self) -> str:
        page, slug = self._one(lambda page: not page.alias), unique_word(self._random)
        publish, below = self._random.random() < 0.7, self._random.random() < 0.5
        self.admin.copy(page.id, ROOT, slug, publish=publish, subpages=below)
        return f"copy {_name(page)} to /{slug}/" + " with what is below it" * below + " as a draft" * (not publish)

    def _alias(self) -> str:
        page, slug = self._one(lambda page: not page.alias), unique_word(self._random)
        self.admin.copy(page.id, ROOT, slug, publish=False, subpages=self._random.random() < 0.5, alias=True)
        return f"make /{slug}/ an alias of {_name(page)}"

    def _one(self, fits: Callable[[Page], bool]) -> Page:
        chosen = [page for page in self._pages if fits(page)]
        if not chosen:
            raise _NothingFits
        return self._random.choice(chosen)

    def _editable(self, fits: Callable[[Page], bool] = lambda page: True) -> Page:
        """Neither an alias nor a page that waits to go live: Wagtail lets nobody edit these."""
        return self._one(lambda page: not page.alias and page.scheduled is None and fits(page))

    def _may_be_hidden(self, page: Page) -> bool:
        return page.id != self._first

    def _below(self, page: Page) -> list[Page]:
        inside, below = {page.id}, []
        for each in self._pages:
            if each.parent in inside:
                inside.add(each.id)
                below.append(each)
        return below

    def _parents(self) -> list[int]:
        """No alias: whoever may read what lies below one is decided by its source, which the API does not ask."""
        return [ROOT, *(page.id for page in self._pages if not page.alias)]

    def _slugs_below(self, parent: int) -> set[str]:
        return {page.slug for page in self._pages if page.parent == parent}

    def _slug(self, parent: int) -> str:
        """A new one, or now and then one that another page had before."""
        free = [slug for slug in self._free_slugs if slug not in self._slugs_below(parent)]
        return self._random.choice(free) if free and self._random.random() < 0.4 else unique_word(self._random)


def _text(reader: requests.Session, page: Page) -> str | None:
    """What anybody reads at the page's address. None for an alias: its source at another address is no document."""
    if page.alias:
        return None
    answer = reader.get(page.url, allow_redirects=False, timeout=30)
    main = LexborHTMLParser(answer.text).css_first(f'main[data-page="{page.id}"]')
    return main.text(separator=" ") if answer.status_code == 200 and main is not None else None


def _changed(random: Random, text: Blocks) -> Blocks:
    """With a section more, or one in place of another."""
    at = random.randrange(len(text) + 1)
    return [*text[:at], *new_section(random), *text[at + random.randint(0, 1) :]]


def _name(page: Page) -> str:
    return f"{page.id} /{page.slug}/"

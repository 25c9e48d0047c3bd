"""An editor at work in Wagtail's own admin views: log-in, forms as a browser would send them, CSRF tokens.

Two things are not the admin's: the tree of pages is read from `/desk/pages/` (an editor sees it in the explorer), and
`/desk/cron/` runs the management command `publish_scheduled`, which a crontab runs in life.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from zoneinfo import ZoneInfo

import requests
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tests.cms.rich_text import Blocks, from_form, new_text, to_form
from tests.cms.wagtail_process import EDITOR, PASSWORD
from tests.cms.words import heading, unique_word

ROOT = 3
"""The home page, below which everything lies."""
ZONE = ZoneInfo("America/New_York")
"""Where the editors' clock hangs."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page as the explorer shows it. `restriction` is its own, not one that it inherits. `scheduled` is the revision
    that waits to go live; until then Wagtail lets nobody edit the page."""

    id: int
    parent: int
    title: str
    slug: str
    url: str
    live: bool
    alias: bool
    scheduled: int | None
    restriction: str | None
    revisions: tuple[int, ...]


class WagtailAdmin:
    """One editor with a browser. A form that Wagtail refuses raises AssertionError with what it said."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.known: dict[int, Page] = {}  # every page that ever was, as it was last seen
        self._due: datetime | None = None  # when the last thing scheduled for soon is over
        self._editor = requests.Session()
        self._editor.get(f"{url}/admin/login/", timeout=30).raise_for_status()
        self._post("/admin/login/", {"username": EDITOR, "password": PASSWORD})

    def close(self) -> None:
        self._editor.close()

    def pages(self) -> list[Page]:
        """The whole tree, parents before children."""
        rows = self._editor.get(f"{self.url}/desk/pages/", timeout=30).json()["pages"]
        pages = [Page(**{**row, "revisions": tuple(row["revisions"])}) for row in rows]
        self.known |= {page.id: page for page in pages}
        return pages

    def page(self, page_id: int) -> Page:
        return next(page for page in self.pages() if page.id == page_id)

    def publish(
        self, random: Random, *, parent: int = ROOT, slug: str = "", publish: bool = True, **fields: str
    ) -> Page:
        """A new page; a draft with `publish=False`."""
        known = {page.id for page in self.pages()}
        text = {"title": heading(random), "slug": slug or unique_word(random), "body": to_form(new_text(random))}
        form = {**self._form(f"/admin/pages/add/handbook/docpage/{parent}/"), **text, **fields}
        self._post(f"/admin/pages/add/handbook/docpage/{parent}/", form | _button(publish))
        return next(page for page in self.pages() if page.id not in known)

    def edit(
        self, page_id: int, fields: Mapping[str, str], *, publish: bool = True, revision: int | None = None
    ) -> None:
        """Change fields of the newest draft, or of an old revision, and publish or save it."""
        path = f"/admin/pages/{page_id}/edit/"
        form = self._form(path if revision is None else f"/admin/pages/{page_id}/revisions/{revision}/revert/")
        if form["expire_at"] and datetime.fromisoformat(form["expire_at"]) <= datetime.now(ZONE).replace(tzinfo=None):
            form["expire_at"] = ""  # Wagtail refuses an expiry in the past, and the editor takes it out
        self._post(path, {**form, **fields} | _button(publish))

    def text(self, page_id: int) -> Blocks:
        """The text of the newest draft."""
        return from_form(self._form(f"/admin/pages/{page_id}/edit/")["body"])

    def unpublish(self, page_id: int, *, with_descendants: bool = False) -> None:
        below = {"include_descendants": "on"} if with_descendants else {}
        self._post(f"/admin/pages/{page_id}/unpublish/", below)

    def delete(self, page_id: int) -> None:
        """With everything below it."""
        self._post(f"/admin/pages/{page_id}/delete/", {"confirm_site_name": "Handbook"})

    def move(self, page_id: int, parent: int) -> None:
        self._post(f"/admin/pages/{page_id}/move/{parent}/confirm/", {})

    def copy(self, page_id: int, parent: int, slug: str, *, publish: bool, subpages: bool, alias: bool = False) -> None:
        form = {"new_title": f"Copy of {slug}", "new_slug": slug, "new_parent_page": str(parent)}
        boxes = {"publish_copies": publish, "copy_subpages": subpages, "alias": alias}
        self._post(f"/admin/pages/{page_id}/copy/", form | {name: "on" for name, ticked in boxes.items() if ticked})

    def protect(self, page_id: int, how: str) -> None:
        """`password`, `login` or `none`; holds for everything below, too."""
        form = {"restriction_type": how, "password": "s3cret" if how == "password" else ""}
        self._post(f"/admin/pages/{page_id}/privacy/", form, done=200)

    def unschedule(self, page_id: int, revision: int) -> None:
        self._post(f"/admin/pages/{page_id}/revisions/{revision}/unschedule/", {})

    def cron(self) -> None:
        """Once everything scheduled for soon is due."""
        if self._due is not None:
            time.sleep(max(0.0, (self._due - datetime.now(ZONE)).total_seconds() + 0.05))
            self._due = None
        self._editor.post(f"{self.url}/desk/cron/", timeout=30).raise_for_status()

    def soon(self) -> str:
        """A time for a form: the next full second that is still ahead. `cron` waits for it."""
        self._due = datetime.now(ZONE).replace(microsecond=0) + timedelta(seconds=2)
        return f"{self._due:%Y-%m-%d %H:%M:%S}"

    def _form(self, path: str) -> dict[str, str]:
        """What a browser would send if nothing was changed."""
        answer = self._editor.get(self.url + path, timeout=30, allow_redirects=False)
        assert answer.status_code == 200, f"{path} answers {answer.status_code}"
        # The dialog with the schedule is a template until it is opened.
        tree, values = LexborHTMLParser(answer.text.replace("<template", "<div").replace("</template", "</div")), {}
        for node in tree.css("input, textarea"):
            name, kind = node.attributes.get("name"), node.attributes.get("type")
            inside = node.attributes.get("form") == "page-edit-form" or _is_in_form(node)
            if name and inside and (kind != "checkbox" or "checked" in node.attributes):
                values[name] = node.text() if node.tag == "textarea" else node.attributes.get("value") or ""
        return values

    def _post(self, path: str, form: Mapping[str, str], *, done: int = 302) -> None:
        token = {"csrfmiddlewaretoken": self._editor.cookies["csrftoken"]}
        answer = self._editor.post(self.url + path, {**form, **token}, timeout=60, allow_redirects=False)
        errors = LexborHTMLParser(answer.text).css(".error-message, .help-critical, .messages .error")
        refused = "; ".join(node.text(strip=True) for node in errors)
        assert answer.status_code == done, f"{path} answers {answer.status_code}: {refused}"


def _button(publish: bool) -> dict[str, str]:
    return {"action-publish": "action-publish"} if publish else {}


def _is_in_form(node: LexborNode) -> bool:
    above: LexborNode | None = node
    while above is not None and above.attributes.get("id") != "page-edit-form":
        above = above.parent
    return above is not None

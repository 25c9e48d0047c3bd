"""What the editors of a WordPress do on an ordinary day: one random action at a time, within what the CMS allows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING

from tests.cms.words import heading, paragraph, sentence, unique_word

if TYPE_CHECKING:
    from tests.cms.wordpress import WordPressSite


@dataclass
class Page:
    """What the editors know of a document. `status` is WordPress's, or "trash" or "deleted"."""

    rest_base: str
    status: str = "publish"
    has_password: bool = False

    @property
    def is_public(self) -> bool:
        return self.status == "publish" and not self.has_password


@dataclass
class Editors:
    """They remember what they made; everything is decided by the given source of chance alone."""

    pages: dict[str, Page] = field(default_factory=dict)

    def act(self, site: WordPressSite, random: Random) -> str:
        """One action; a sentence of what was done."""
        if sum(page.is_public for page in self.pages.values()) < 3:
            return self._publish(site, random)
        while True:
            action = random.choice(_ACTIONS)
            if done := action(self, site, random):
                return done

    def _publish(self, site: WordPressSite, random: Random) -> str:
        rest_base = random.choice(("posts", "posts", "pages", "pages", "guides"))
        parents = self._where(lambda page: page.rest_base == "pages" and page.status == "publish")
        extra = {}
        if rest_base == "pages" and parents and random.random() < 0.5:
            extra["parent"] = int(random.choice(parents))
        doc_id = site.create(rest_base, title=heading(random), content=_content(site, random, rest_base), **extra)
        self.pages[doc_id] = Page(rest_base)
        return f"published {doc_id} in {rest_base} {extra or ''}".strip()

    def _publish_under_a_trashed_address(self, site: WordPressSite, random: Random) -> str:
        if not (trashed := self._where(lambda page: page.status == "trash" and page.rest_base == "posts")):
            return ""
        old = random.choice(trashed)
        slug = site.api("GET", f"posts/{old}?context=edit")["slug"].removesuffix("__trashed")
        doc_id = site.create("posts", title=heading(random), content=_content(site, random, "posts"), slug=slug)
        self.pages[doc_id] = Page("posts")
        return f"published {doc_id} under {slug}, the address of {old} in the trash"

    def _edit(self, site: WordPressSite, random: Random) -> str:
        doc_id = self._any_published(random)
        site.edit(doc_id, content=_content(site, random, self.pages[doc_id].rest_base))
        return f"rewrote {doc_id}"

    def _edit_twice_in_a_second(self, site: WordPressSite, random: Random) -> str:
        doc_id = self._any_published(random)
        site.edit(doc_id, content=_content(site, random, "guides"))
        site.edit(doc_id, content=_content(site, random, "guides"))
        return f"rewrote {doc_id}, and at once again"

    def _shorten(self, site: WordPressSite, random: Random) -> str:
        doc_id = self._any_published(random)
        site.edit(doc_id, content=_paragraph(random, sentence(random)))
        return f"shortened {doc_id} to a sentence"

    def _retitle(self, site: WordPressSite, random: Random) -> str:
        doc_id = self._any_published(random)
        site.edit(doc_id, title=heading(random))
        return f"gave {doc_id} another title"

    def _rename(self, site: WordPressSite, random: Random) -> str:
        doc_id = self._any_published(random)
        site.edit(doc_id, slug=unique_word(random))
        return f"renamed the address of {doc_id}"

    def _move(self, site: WordPressSite, random: Random) -> str:
        pages = self._where(lambda page: page.rest_base == "pages" and page.status == "publish")
        if len(pages) < 2:
            return ""
        doc_id, parent = random.sample(pages, 2)
        parent = random.choice((parent, "0"))
        shown = site.edit(doc_id, parent=int(parent))  # WordPress refuses circles by itself
        return f"moved {doc_id} below {shown['parent']}"

    def _merge(self, site: WordPressSite, random: Random) -> str:
        kept, gone = self._any_published(random), self._any_public(random)
        if kept == gone:
            return ""
        site.edit(kept, content=_content(site, random, "guides") + _paragraph(random))
        return f"merged {gone} into {kept}; " + self._end(site, gone, "deleted")

    def _unpublish(self, site: WordPressSite, random: Random) -> str:
        return self._set(site, self._any_public(random), status="draft")

    def _make_private(self, site: WordPressSite, random: Random) -> str:
        return self._set(site, self._any_public(random), status="private")

    def _submit_for_review(self, site: WordPressSite, random: Random) -> str:
        return self._set(site, self._any_public(random), status="pending")

    def _trash(self, site: WordPressSite, random: Random) -> str:
        return self._end(site, self._any_public(random), "trash")

    def _delete(self, site: WordPressSite, random: Random) -> str:
        hidden = self._where(lambda page: page.status not in ("publish", "deleted"))
        return self._end(site, random.choice([self._any_public(random), *hidden]), "deleted")

    def _bring_back(self, site: WordPressSite, random: Random) -> str:
        hidden = self._where(lambda page: page.status in ("draft", "private", "pending", "trash"))
        return self._set(site, random.choice(hidden), status="publish") if hidden else ""

    def _protect(self, site: WordPressSite, random: Random) -> str:
        doc_id = self._any_public(random)
        site.edit(doc_id, password=unique_word(random))
        self.pages[doc_id].has_password = True
        return f"protected {doc_id} with a password"

    def _lift_protection(self, site: WordPressSite, random: Random) -> str:
        protected = self._where(lambda page: page.has_password and page.status == "publish")
        if not protected:
            return ""
        doc_id = random.choice(protected)
        site.edit(doc_id, password="")
        self.pages[doc_id].has_password = False
        return f"took the password off {doc_id}"

    def _schedule(self, site: WordPressSite, random: Random) -> str:
        rest_base = random.choice(("posts", "pages", "guides"))
        doc_id = site.schedule(rest_base, title=heading(random), content=_content(site, random, "guides"))
        self.pages[doc_id] = Page(rest_base, "future")
        return f"scheduled {doc_id} for tomorrow"

    def _postpone(self, site: WordPressSite, random: Random) -> str:
        doc_id = self._any_public(random)
        site.reschedule(doc_id)
        self.pages[doc_id].status = "future"
        return f"took {doc_id} offline until tomorrow"

    def _let_go_live(self, site: WordPressSite, random: Random) -> str:
        scheduled = self._where(lambda page: page.status == "future")
        if not scheduled:
            return ""
        doc_id = random.choice(scheduled)
        site.let_it_become_due(doc_id)
        self.pages[doc_id].status = "publish"
        return f"{doc_id} went live as scheduled"

    def _edit_pattern(self, site: WordPressSite, random: Random) -> str:
        site.edit_pattern(_paragraph(random))
        return "edited the synced pattern"

    def _rename_category(self, site: WordPressSite, random: Random) -> str:
        site.rename_category(unique_word(random))
        return "renamed the category"

    def _set(self, site: WordPressSite, doc_id: str, *, status: str) -> str:
        before = self.pages[doc_id].status
        # WordPress wants no password on a private document
        password = {"password": ""} if status == "private" and self.pages[doc_id].has_password else {}
        shown = site.edit(doc_id, status=status, **password)
        assert shown["status"] == status, shown["status"]
        self.pages[doc_id].status = status
        return f"set {doc_id} from {before} to {status}"

    def _end(self, site: WordPressSite, doc_id: str, how: str) -> str:
        (site.trash if how == "trash" else site.delete)(doc_id)
        self.pages[doc_id].status = how
        return f"{doc_id} to the trash" if how == "trash" else f"deleted {doc_id}"

    def _any_public(self, random: Random) -> str:
        return random.choice(self._where(lambda page: page.is_public))

    def _any_published(self, random: Random) -> str:
        return random.choice(self._where(lambda page: page.status == "publish"))

    def _where(self, wanted: Callable[[Page], bool]) -> list[str]:
        return [doc_id for doc_id, page in self.pages.items() if wanted(page)]


_ACTIONS: tuple[Callable[[Editors, WordPressSite, Random], str], ...] = (
    *[Editors._publish] * 3,
    *[Editors._edit] * 2,
    *[Editors._bring_back] * 2,
    Editors._publish_under_a_trashed_address,
    Editors._edit_twice_in_a_second,
    Editors._shorten,
    Editors._retitle,
    Editors._rename,
    Editors._move,
    Editors._merge,
    Editors._unpublish,
    Editors._make_private,
    Editors._submit_for_review,
    Editors._trash,
    Editors._delete,
    Editors._protect,
    Editors._lift_protection,
    Editors._schedule,
    Editors._postpone,
    Editors._let_go_live,
    Editors._edit_pattern,
    Editors._rename_category,
)


def _content(site: WordPressSite, random: Random, rest_base: str) -> str:
    parts = [_paragraph(random) for _ in range(random.randint(1, 4))]
    if random.random() < 0.4:
        parts.insert(random.randint(0, len(parts)), _heading(random))
    if random.random() < 0.3:
        parts.append(_bullets(random))
    if random.random() < 0.3:
        parts.append(site.pattern)
    if rest_base == "posts" and random.random() < 0.4:
        parts.append(_block("shortcode", "[categories]"))
    return "\n\n".join(parts)


def _block(kind: str, html: str) -> str:
    """As the block editor writes it."""
    return f"<!-- wp:{kind} -->\n{html}\n<!-- /wp:{kind} -->"


def _paragraph(random: Random, text: str = "") -> str:
    text = text or paragraph(random)
    if random.random() < 0.3:
        text += f' It\'s "quoted" &amp; <strong>{unique_word(random)}</strong> -- at last.'
    return _block("paragraph", f"<p>{text}</p>")


def _heading(random: Random) -> str:
    return _block("heading", f"<h2>{heading(random)}</h2>")


def _bullets(random: Random) -> str:
    items = "".join(f"<li>{sentence(random)}</li>" for _ in range(random.randint(1, 3)))
    return _block("list", f"<ul>{items}</ul>")

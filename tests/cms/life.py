"""An editor's life on a real CMS: random actions, a sync after every few, and the index compared with the public site.

What the index holds is judged by what an anonymous reader sees in the HTML pages, not by what the CMS says through
the API that the connector reads. The installation is the one of `wiring`: embedded index, static embedder, gate,
manifests and ledger on disk. The limits are opened, since a random life removes a lot; what is held all the same is
approved as a person would. What the gate does is tested elsewhere.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from random import Random
from typing import Protocol

import requests
from selectolax.lexbor import LexborHTMLParser

from include.domain.manifest import DocumentState, Manifest, RunState
from tests.cms.postman import Postman
from tests.cms.sync import SECRET, Searchable, Sync, chunk_index


class EditorsSite(Protocol):
    """A running CMS with editors. Everything it does is random in `random` alone, so that a seed repeats a life."""

    def act(self, random: Random) -> str:
        """One editor's action through the CMS's own admin interface or API; a sentence of what was done.

        When it returns, the action is over: what was scheduled for "soon" has happened, its events have been sent.
        The site always keeps one public document; texts hold a word that occurs in no other text of the life, and
        no numbered lists (their numbers are markup in HTML and text in Markdown).
        """
        ...

    def visible(self) -> dict[str, str]:
        """doc_id -> text of the main part, for every document that an anonymous reader can read now.

        Every document ever created is looked for by its HTML page: 200, no log-in, no password form. Never read
        through the API that the connector uses. The text may start with the document's title.
        """
        ...

    @property
    def source(self) -> str: ...
    @property
    def connector_kind(self) -> str: ...
    @property
    def connector_options(self) -> Mapping[str, object]:
        """As they stand in the settings of an installation that reads this site without an account."""
        ...

    def send_events_to(self, url: str, secret: str) -> None:
        """From now on every event goes to this address, signed with the secret; "" for none."""
        ...

    def stop(self) -> None: ...


class Mode(StrEnum):
    """How changes are noticed."""

    NO_WEBHOOKS = "no webhooks"  # by the nightly reconciliation alone
    WEBHOOKS = (
        "webhooks"  # by events alone; a nightly run only for what the gate holds, so that a person can approve it
    )
    BAD_WEBHOOKS = "bad webhooks"  # events duplicated, shuffled and 30 % lost; the nightly run makes up for it


@dataclass
class Life:
    """What came of one life. `differences` say in words where the index and the public site disagreed, and after
    which actions."""

    seed: int
    mode: Mode
    log: list[str] = field(default_factory=list)
    syncs: int = 0
    events: int = 0
    documents: int = 0
    removed: int = 0
    nights: int = 0  # with webhooks: nightly runs that were needed all the same
    approved: int = 0
    differences: list[str] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def __str__(self) -> str:
        spent = ", ".join(f"{what} {seconds:.1f} s" for what, seconds in self.seconds.items())
        head = (
            f"{self.mode}, seed {self.seed}: {len(self.log)} actions, {self.events} events, {self.syncs} syncs, "
            f"{self.documents} documents in the end, {self.removed} removals, {self.nights} nights needed, "
            f"{self.approved} plans approved, "
            f"{len(self.differences)} differences ({spent})"
        )
        if not self.differences:
            return head
        actions = [f"  {number:3} {what}" for number, what in enumerate(self.log, start=1)]
        return "\n".join([head, *self.differences, "what the editors did:", *actions])


def live(
    site: EditorsSite,
    folder: Path,
    *,
    actions: int = 200,
    every: int = 5,
    mode: Mode = Mode.NO_WEBHOOKS,
    seed: int = 1,
) -> Life:
    """Drive a life of `actions`, with a sync and a comparison after every so many; stops at the first difference.

    `folder` takes index, manifests and ledger. The site may have lived before: the first sync takes it as it is.
    """
    life, random = Life(seed, mode), Random(seed)
    sync, postman = Sync(site, folder), Postman()
    if mode is not Mode.NO_WEBHOOKS:
        site.send_events_to(postman.url, SECRET)
    try:
        _compare(life, site, sync, list(sync.night()))
        while len(life.log) < actions and not life.differences:
            for _ in range(min(every, actions - len(life.log))):
                with _timed(life, "acting"):
                    life.log.append(site.act(random))
            with _timed(life, "syncing"):
                manifests = _sync(life, sync, postman, random)
            _compare(life, site, sync, manifests)
        if mode is Mode.WEBHOOKS and not life.differences:
            left = [outcome for manifest in sync.night() for outcome in manifest.outcomes]
            life.differences.extend(f"the night after still had to do: {outcome}" for outcome in left)
    finally:
        site.send_events_to("", "")
        postman.close()
    return life


def _sync(life: Life, sync: Sync, postman: Postman, random: Random) -> list[Manifest]:
    if life.mode is Mode.WEBHOOKS:
        life.events += postman.deliver(sync.receive)
        looks = list(sync.follow())
        if any(look.count(DocumentState.HELD) for look in looks):  # what the gate would hold is left to the night
            life.nights += 1
            looks += sync.night()
        return looks
    if life.mode is Mode.BAD_WEBHOOKS:
        life.events += postman.deliver_badly(sync.receive, random)
        return [*sync.follow(), *sync.night()]
    return list(sync.night())


def _compare(life: Life, site: EditorsSite, sync: Sync, manifests: list[Manifest]) -> None:
    life.syncs += 1
    life.approved += sum(manifest.released for manifest in manifests)
    life.removed += sum(manifest.count(DocumentState.DELETED) for manifest in manifests)
    found = [
        f"the run {manifest.run_id} ended {manifest.state}: {manifest.reason}"
        for manifest in manifests[-1:]
        if manifest.state not in (RunState.TRUE, RunState.INGESTED)
    ]
    with _timed(life, "looking"):
        visible = site.visible()
    with _timed(life, "comparing"), sync.open_index():
        searchable = sync.searchable()
        found += [
            *sync.hidden_points(searchable),
            *differences(visible, searchable),
            *wrong_addresses(searchable),
            *sync.wrong_answers(searchable),
        ]
    life.documents = len(searchable)
    life.differences.extend(f"after action {len(life.log)}: {difference}" for difference in found)


@contextmanager
def _timed(life: Life, what: str) -> Iterator[None]:
    started = time.monotonic()
    try:
        yield
    finally:
        life.seconds[what] += time.monotonic() - started


def differences(visible: Mapping[str, str], searchable: Searchable) -> Iterator[str]:
    """Where the chunks that a search returns are not exactly the visible documents, in words."""
    for doc_id in sorted(visible.keys() - searchable.keys()):
        yield f"{doc_id} can be read on the site and is not in the index: {visible[doc_id]!r:.120}"
    for doc_id in sorted(searchable.keys() - visible.keys()):
        yield f"{doc_id} is in the index and cannot be read on the site: {searchable[doc_id][0].payload['text']!r:.120}"
    for doc_id in sorted(visible.keys() & searchable.keys()):
        hits = searchable[doc_id]
        held, shown = letters("".join(str(hit.payload["text"]) for hit in hits)), letters(visible[doc_id])
        if shown not in (held, letters(str(hits[0].payload["title"])) + held):
            yield f"{doc_id}: the index holds {held!r:.300}, the site shows {shown!r:.300}"
        expected = [(index, len(hits)) for index in range(len(hits))]
        if (found := [(chunk_index(hit), hit.payload["chunk_count"]) for hit in hits]) != expected:
            yield f"{doc_id}: its chunks are (index, count) {found}"


def wrong_addresses(searchable: Searchable) -> Iterator[str]:
    """Documents whose address does not show them: what a citation links to, opened by anybody."""
    with requests.Session() as reader:
        for doc_id, hits in sorted(searchable.items()):
            for url in sorted({str(hit.payload["url"]) for hit in hits}):
                answer = reader.get(url, timeout=30, allow_redirects=False)
                first = letters(str(hits[0].payload["text"]))
                if answer.status_code != 200 or first not in letters(text_of_page(answer.text)):
                    yield f"{doc_id}: its address {url} answers {answer.status_code} and does not show it"


def letters(text: str) -> str:
    """Letters and digits only, in lower case: what HTML and Markdown of one text have in common."""
    return re.sub(r"[\W_]+", "", text.lower())


def text_of_page(html: str) -> str:
    """All text of a page, furniture included."""
    body = LexborHTMLParser(html).body
    return body.text() if body else ""

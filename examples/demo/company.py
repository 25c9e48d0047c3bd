"""The demo with the example sources: a shop's help center and a company's handbook."""

from __future__ import annotations

import json
import re
import shutil
import sys
import time
import urllib.request
from pathlib import Path

import yaml
from rich.table import Table

from examples.demo.naive import NaiveIndex
from examples.demo.stage import FOLDER, HELPCENTER, Stage, commit, connection, console, fresh_folder, show
from include.connectors.credentials import Credentials
from include.domain.documents import DocumentKey
from include.domain.manifest import DocumentState
from include.domain.selection import Selector
from include.wiring.runs import INGEST, RECONCILE
from scripts.airflow_local import PROJECT, any_free_port

EXAMPLES = PROJECT / "examples"
TOKEN = "helpcenter-demo-token"
QUESTIONS = (Path(__file__).parent / "questions.txt").read_text(encoding="utf-8").split("\n")[:50]
READ = 5
"""Chunks an assistant reads before it answers."""
_DAYS = re.compile(r"within \**(\d+) days", re.IGNORECASE)


def play() -> None:
    fresh_folder()
    port = any_free_port()
    center = f"http://127.0.0.1:{port}"
    _serve(port)
    handbook = FOLDER / "handbook"
    shutil.copytree(EXAMPLES / "handbook", handbook)
    commit(handbook, "The handbook as it is")
    stage = Stage(_settings(center, handbook), _DemoSecrets(), {"helpcenter": connection(TOKEN)})
    stage.open()

    console.rule("1 · The help center and the handbook are ingested")
    manifests = stage.run(INGEST, "ingest")
    for source, manifest in sorted(manifests.items()):
        console.print(f"  {source}: {manifest.documents} documents, {manifest.chunks} chunks")
    naive = stage.naive_index()
    stage.naive("helpcenter", naive)
    _ask(stage, naive, right="60", moment="before the editors' changes (60 days is right)")

    console.rule("2 · Five weeks ago the refund page was replaced; last week a page was shortened, the deck renewed")
    _control(center, {"action": "incident"})
    for page in ("sales/deck-2026-09.md", "support/answering-customers.md"):
        _edit(handbook / page)
    (handbook / "people" / "travel-policy.md").rename(handbook / "people" / "travelling.md")
    commit(handbook, "Move the travel policy, edit two pages")
    _damage(stage)
    stage.naive("helpcenter", naive)
    console.print("  The old refund page answers 404 at the source. No webhook arrived. A crash lost two chunks.")
    _ask(stage, naive, right="30", moment="before the night (30 days is right)")

    console.rule("3 · The night: reconcile_index")
    show(stage.run(RECONCILE, "the night"))
    _ask(stage, naive, right="30", moment="after the night")

    console.rule("4 · The next night the help center is down, and answers 200 with a maintenance page")
    _control(center, {"action": "fault", "fault": "html200"})
    down = stage.run(RECONCILE, "the outage night")
    _control(center, {"action": "fault", "fault": ""})
    refused = down["helpcenter"]
    console.print(
        f"  helpcenter: [bold]{refused.count(DocumentState.DELETED)} deletions[/], state {refused.state.value}"
    )
    console.print(f"  reason: {refused.reason}")
    console.print(f"  handbook was not touched by it: state {down['handbook'].state.value}")

    console.rule("5 · Somebody removes a folder of the handbook: over the limit, so a person is asked")
    shutil.rmtree(handbook / "sales")
    commit(handbook, "Remove the sales folder")
    held = stage.run(RECONCILE, "the night after")["handbook"]
    console.print(f"  handbook: [bold]{held.count(DocumentState.DELETED)} deletions[/], {len(held.held)} held")
    console.print(f"  reason: {held.reason}")
    console.print(f"  Approve or reject it here: [bold]{stage.held('handbook')}[/]")
    stage.close()


def _serve(port: int) -> None:
    arguments = ["--content", str(EXAMPLES / "helpcenter" / "articles"), "--port", str(port)]
    HELPCENTER.spawn([sys.executable, str(EXAMPLES / "helpcenter" / "server.py"), *arguments], {}, folder=PROJECT)
    for _ in range(100):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/api/v2/articles", timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise RuntimeError(f"the example help center did not start: {HELPCENTER.last_lines()}")


def _settings(center: str, handbook: Path) -> str:
    options = yaml.safe_load((EXAMPLES / "helpcenter" / "source.yaml").read_text(encoding="utf-8"))
    options["base_url"] = f"{center}/api/v2"
    return yaml.safe_dump(
        {
            "store": {"url": f"edge:{FOLDER / 'state' / 'index'}"},
            "ranking": {"share_of_words": 0.25},  # customers do not ask in the words of a help center
            "sources": {
                "helpcenter": {"kind": "http_json", "conn_id": "helpcenter", "options": options},
                "handbook": {"kind": "git_markdown", "options": {"location": str(handbook)}},
            },
        },
        sort_keys=False,
    )


class _DemoSecrets:
    def credentials(self, conn_id: str) -> Credentials:
        return Credentials(headers={"Authorization": f"Bearer {self.password(conn_id)}"})

    def password(self, conn_id: str) -> str:
        return TOKEN

    def webhook_secrets(self, conn_id: str) -> list[str]:
        return [TOKEN]


def _control(center: str, order: dict[str, object]) -> None:
    request = urllib.request.Request(
        f"{center}/__control", json.dumps(order).encode(), {"Content-Type": "application/json"}
    )
    urllib.request.urlopen(request, timeout=10).close()


def _edit(page: Path) -> None:
    page.write_text(page.read_text(encoding="utf-8") + "\nReviewed by the owner this week.\n", encoding="utf-8")


def _damage(stage: Stage) -> None:
    """What a crash of some other tool leaves behind: a page whose last two chunks are gone."""
    with stage.application.store.writing() as index:
        chunks: dict[str, list[tuple[int, str]]] = {}
        for chunk in index.scan("handbook"):
            if chunk.doc_id and chunk.chunk_index is not None:
                chunks.setdefault(chunk.doc_id, []).append((chunk.chunk_index, chunk.point_id))
        doc_id = max(chunks, key=lambda each: len(chunks[each]))
        lost = [point for _, point in sorted(chunks[doc_id])[-2:]]
        index.delete(Selector(DocumentKey("handbook", doc_id), only_ids=tuple(lost)))


def _ask(stage: Stage, naive: NaiveIndex, *, right: str, moment: str) -> None:
    """Ask 50 times how long a refund is possible; an answer is right if it states the number that is true now."""
    answers = {"naive pipeline": [naive.search(question, READ) for question in QUESTIONS], "truecopy": []}
    cited = None
    for question in QUESTIONS:
        found = stage.application.retrieve(question, limit=READ, sources=("helpcenter",))
        answers["truecopy"].append(found.texts[:READ])
        for each in () if cited else found.shown:
            if any(_days(chunk.text) for chunk in each.scored.candidate.chunks):
                cited = each.scored.candidate
                break
    table = Table(
        "refund question, 50 wordings", "right", "wrong or none", "for example", title=moment, title_justify="left"
    )
    for name, texts in answers.items():
        days = [next(filter(None, map(_days, found)), "none") for found in texts]
        correct = days.count(right)
        table.add_row(name, f"{correct} of {len(days)}", str(len(days) - correct), f"“within {days[0]} days”")
    console.print(table)
    if cited is not None:
        console.print(f"  [dim]truecopy cites {cited.title}, version {cited.version[:12]}, {cited.url}[/]")


def _days(text: str) -> str:
    found = _DAYS.search(text)
    return found.group(1) if found else ""

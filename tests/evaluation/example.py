"""The example sources as a real installation: Git repositories, the help center, the marks of the ledger.

Both pipelines see the same past: the help center as it was, then after its incident (refunds replaced, a page
shortened, one moved). truecopy reconciles; the naive pipeline takes in what is listed, as it always does.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import yaml

from examples.demo.naive import NaiveIndex
from examples.helpcenter.server import TOKEN, HelpCenter, Server
from include.connectors.credentials import Credentials
from include.domain.manifest import RunState
from include.ranking.metrics import Answer
from include.ranking.questions import Question
from include.services.reading import read_documents
from include.wiring.application import Application
from include.wiring.runs import Run, reconcile_source
from tests.evaluation.shelf import naive_answer

EXAMPLES = Path(__file__).parents[2] / "examples"
QUESTIONS = EXAMPLES / "questions" / "example.yaml"
BASELINE = EXAMPLES / "questions" / "baseline.json"


@dataclass(frozen=True)
class Example:
    application: Application
    naive_index: NaiveIndex

    def naive(self, question: Question) -> Answer:
        return naive_answer(self.naive_index, question)


class _Secrets:
    def credentials(self, conn_id: str) -> Credentials:
        return Credentials(headers={"Authorization": f"Bearer {TOKEN}"})

    def password(self, conn_id: str) -> str:
        return TOKEN

    def webhook_secrets(self, conn_id: str) -> list[str]:
        return [TOKEN]


@contextmanager
def example(folder: Path) -> Iterator[Example]:
    """Built below `folder`, which is empty."""
    center = HelpCenter.load(EXAMPLES / "helpcenter" / "articles")
    server = Server(center, 0)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        for name in ("handbook", "policies"):
            _repository(EXAMPLES / name, folder / name)
        marks = folder / "state" / "ledger" / "marks" / "policies.yaml"
        marks.parent.mkdir(parents=True)
        shutil.copy(EXAMPLES / "questions" / "marks.yaml", marks)
        (folder / "truecopy.yaml").write_text(_settings(folder, server.url), encoding="utf-8")
        environment = {
            "TRUECOPY_CONFIG": str(folder / "truecopy.yaml"),
            "TRUECOPY_STATE": str(folder / "state"),
            "TRUECOPY_LEDGER": str(folder / "state" / "ledger"),
            "TRUECOPY_CACHE": str(folder / "state" / "cache"),
        }
        application = Application.from_environment(environment, _Secrets())
        naive = NaiveIndex(application.embedder, application.chunk_tokens)
        _night(application, naive, "first")
        for order in json.loads((EXAMPLES / "helpcenter" / "incident.json").read_text(encoding="utf-8")):
            center.control(order)
        _night(application, naive, "after the incident")
        yield Example(application, naive)
    finally:
        center.released.set()
        server.shutdown()
        server.server_close()
        thread.join()


def _night(application: Application, naive: NaiveIndex, run_id: str) -> None:
    for source in sorted(application.settings.sources):
        manifest = reconcile_source(application, source, Run("evaluation", run_id), progress=lambda *_: None)
        assert manifest.state is RunState.TRUE, f"{source}: {manifest.state.value}, {manifest.reason}"
        with application.context(source) as context:
            listing = context.connector.list_documents()
            doc_ids = sorted(listing.documents)
            reading = read_documents(context.connector, doc_ids, context.read, progress=lambda *_: None)
            for doc_id in sorted(reading.contents):
                naive.upsert(reading.spool.get(doc_id))
            reading.spool.close()


def _repository(pages: Path, folder: Path) -> None:
    shutil.copytree(pages, folder)
    identity = ("-c", "user.name=Example", "-c", "user.email=example@example.org", "-c", "commit.gpgsign=false")
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "--no-verify", "-m", "As it is")):
        subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


def _settings(folder: Path, url: str) -> str:
    options = yaml.safe_load((EXAMPLES / "helpcenter" / "source.yaml").read_text(encoding="utf-8"))
    options["base_url"] = f"{url}/api/v2"
    sources = {
        "helpcenter": {"kind": "http_json", "conn_id": "helpcenter", "options": options},
        **{
            name: {"kind": "git_markdown", "options": {"location": str(folder / name)}}
            for name in ("handbook", "policies")
        },
    }
    store = {"url": f"edge:{folder / 'state' / 'index'}"}
    evaluation = {"questions": [str(QUESTIONS)], "baseline": str(BASELINE) if BASELINE.exists() else None}
    return yaml.safe_dump({"store": store, "sources": sources, "evaluation": evaluation}, sort_keys=False)

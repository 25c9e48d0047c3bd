"""The demo on a repository of one's own. The repository is cloned and only the clone is changed."""

from __future__ import annotations

import subprocess
from pathlib import Path

import yaml

from examples.demo.stage import FOLDER, Stage, commit, console, fresh_folder, show
from include.domain.documents import StoredChunk
from include.domain.errors import ConfigError
from include.domain.manifest import DocumentState
from include.wiring.runs import INGEST, RECONCILE

SOURCE = "docs"


def play(repository: Path) -> None:
    fresh_folder()
    clone = FOLDER / "docs"
    done = subprocess.run(
        ["git", "clone", "-q", "--no-hardlinks", str(repository), str(clone)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise ConfigError(f"DOCS={repository} is not a Git repository that can be cloned: {done.stderr.strip()}")
    stage = Stage(
        yaml.safe_dump(
            {
                "store": {"url": f"edge:{FOLDER / 'state' / 'index'}"},
                "sources": {SOURCE: {"kind": "git_markdown", "options": {"location": str(clone)}}},
            }
        )
    )
    stage.open()

    console.rule(f"1 · {repository} is ingested")
    manifest = stage.run(INGEST, "ingest")[SOURCE]
    failed = manifest.count(DocumentState.FAILED)
    console.print(f"  {manifest.documents} documents, {manifest.chunks} chunks, {failed} could not be read")
    if not manifest.documents:
        console.print(f"  {manifest.reason or 'no Markdown, MDX, reStructuredText or HTML was found'}")
        stage.close()
        return
    by_document = _stored(stage)
    victims, edited, moved = _choose(by_document, limit_percent=10)

    console.rule("2 · In the clone, pages are removed, edited and renamed")
    naive = stage.naive_index()
    stage.naive(SOURCE, naive)
    for doc_id in victims:
        (clone / doc_id).unlink()
    for doc_id in edited:
        with (clone / doc_id).open("a", encoding="utf-8") as page:
            page.write("\n\nThis sentence was added by the demo.\n")
    for doc_id in moved:
        (clone / doc_id).rename((clone / doc_id).with_stem(f"{Path(doc_id).stem}-renamed"))
    commit(clone, "Remove, edit and rename pages")
    console.print(f"  removed {victims or 'nothing: the source is too small for the limit'}")
    console.print(f"  edited {edited}, renamed {moved}")
    stage.naive(SOURCE, naive)

    console.rule("3 · The night: reconcile_index")
    show(stage.run(RECONCILE, "the night"))
    for doc_id in victims[:1]:
        text = by_document[doc_id][0].text or ""
        still = text in naive.search(text, 1)
        shown = stage.application.retrieve(text, limit=50).shown
        found = any(each.scored.candidate.key.doc_id == doc_id for each in shown)
        console.print(f"  {doc_id} is gone at the source. The naive pipeline still finds it: {_yes(still)};")
        console.print(f"  truecopy still finds it: {_yes(found)}")

    console.rule("4 · The next night the repository is not there")
    hidden = clone.rename(FOLDER / "docs-unmounted")
    refused = stage.run(RECONCILE, "the outage night")[SOURCE]
    hidden.rename(clone)
    console.print(f"  [bold]{refused.count(DocumentState.DELETED)} deletions[/], state {refused.state.value}")
    console.print(f"  reason: {refused.reason}")

    console.rule("5 · A third of the pages is removed: over the limit, so a person is asked")
    left = sorted(_stored(stage))
    for doc_id in left[: max(1, len(left) // 3)]:
        (clone / doc_id).unlink()
    commit(clone, "Remove a third of the pages")
    held = stage.run(RECONCILE, "the night after")[SOURCE]
    console.print(f"  [bold]{held.count(DocumentState.DELETED)} deletions[/], {len(held.held)} held")
    console.print(f"  reason: {held.reason}")
    if held.held:
        console.print(f"  Approve or reject it here: [bold]{stage.held(SOURCE)}[/]")
    stage.close()


def _stored(stage: Stage) -> dict[str, list[StoredChunk]]:
    found: dict[str, list[StoredChunk]] = {}
    with stage.application.store.reading() as index:
        for chunk in index.scan(SOURCE):
            if chunk.doc_id:
                found.setdefault(chunk.doc_id, []).append(chunk)
    return {doc_id: sorted(chunks, key=lambda chunk: chunk.chunk_index or 0) for doc_id, chunks in found.items()}


def _choose(documents: dict[str, list[StoredChunk]], *, limit_percent: int) -> tuple[list[str], list[str], list[str]]:
    """Pages to remove, edit and rename, so that removals and renames together stay within the limit."""
    names = [doc_id for doc_id in sorted(documents) if doc_id.endswith((".md", ".mdx", ".markdown", ".rst"))]
    allowed = len(documents) * limit_percent // 100
    moved = names[:1] if allowed >= 2 else []
    victims = names[1 : 1 + min(3, allowed - len(moved))] if allowed else []
    edited = names[-2:] if len(names) > 4 else names[-1:]
    return victims, [doc_id for doc_id in edited if doc_id not in (*moved, *victims)], moved


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"

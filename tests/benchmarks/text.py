"""CPU time of extracting, cutting and embedding, per document and per chunk.

    python -m tests.benchmarks.text FOLDER          every .md, .mdx, .rst, .html, .txt below it

Prints ratios and shares; it judges nothing. `kept` is the share of chunks that keep their hash, and so their vector,
after one line of each document was edited.
"""

from __future__ import annotations

import argparse
import random
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from semantic_text_splitter import MarkdownSplitter

from include.domain.documents import DocumentKey, ExtractedDocument, FetchedDocument
from include.domain.errors import DocumentUnreadable
from include.embedding.static import StaticEmbedder
from include.text.chunk import CHARACTERS_PER_TOKEN, chunk
from include.text.normalise import extract

MEDIA_TYPES = {
    ".md": "text/markdown",
    ".mdx": "text/mdx",
    ".rst": "text/x-rst",
    ".html": "text/html",
    ".txt": "text/plain",
}


def timed(what: str, work: Callable[[], Any], per: int, unit: str) -> tuple[Any, float]:
    began = time.process_time()
    result = work()
    spent = time.process_time() - began
    print(f"{what:<42}{spent:8.2f} CPU s {1000 * spent / max(per, 1):8.2f} ms per {unit}")
    return result, spent


def read(folder: Path) -> list[FetchedDocument]:
    now = datetime.now(UTC)
    return [
        FetchedDocument(DocumentKey("benchmark", str(file)), "1", file.read_bytes(), MEDIA_TYPES[file.suffix], "", now)
        for file in sorted(folder.rglob("*"))
        if file.suffix in MEDIA_TYPES and file.is_file()
    ]


def extracted(fetched: list[FetchedDocument]) -> list[ExtractedDocument]:
    documents = []
    for item in fetched:
        try:
            documents.append(extract(item))
        except DocumentUnreadable as error:
            print(f"unreadable: {error}")
    return documents


def kept_after_an_edit(documents: list[ExtractedDocument], cut: Callable[[str], set[str]], sample: int = 250) -> str:
    """Share of chunks that survive one edited line, and new chunks per edit (1 is the least possible)."""
    choice = random.Random(1)
    long = [document for document in documents if len(document.text) > 3000]
    kept = total = new = 0
    picked = choice.sample(long, min(sample, len(long)))
    for document in picked:
        lines = document.text.split("\n")
        at = choice.randrange(len(lines))
        lines[at] += " and an added remark of nine more words here"
        before, after = cut(document.text), cut("\n".join(lines))
        kept, total, new = kept + len(before & after), total + len(before), new + len(after - before)
    return f"{kept / max(total, 1):.3f} kept, {new / max(len(picked), 1):.2f} new chunks per edit"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    fetched = read(parser.parse_args().folder)
    characters = sum(len(item.body) for item in fetched)
    print(f"{len(fetched)} documents, {characters / 1e6:.1f} MB")
    embedder, _ = timed("load the embedder", StaticEmbedder.bundled, 1, "load")
    documents, _ = timed("extract", lambda: extracted(fetched), len(fetched), "document")
    limit = embedder.max_tokens

    timed(
        "cut, tokens not counted",
        lambda: [chunk(d, max_tokens=limit, count_tokens=lambda _: 1) for d in documents],
        len(documents),
        "document",
    )
    cuts, _ = timed(
        "cut",
        lambda: [chunk(d, max_tokens=limit, count_tokens=embedder.count_tokens) for d in documents],
        len(documents),
        "document",
    )
    texts = [piece.text for pieces in cuts for piece in pieces]
    _, spent = timed(
        "embed", lambda: [embedder.embed(texts[at : at + 64]) for at in range(0, len(texts), 64)], len(texts), "chunk"
    )
    tokens = sorted(embedder.count_tokens(text) for text in texts)
    print(
        f"{len(texts)} chunks, {len(texts) / spent:.0f} embedded per CPU s; "
        f"tokens: median {tokens[len(tokens) // 2]}, 90 % below {tokens[len(tokens) * 9 // 10]}, "
        f"longest {tokens[-1]} of {limit}"
    )

    whole = MarkdownSplitter(limit * CHARACTERS_PER_TOKEN)
    by_section = kept_after_an_edit(
        documents,
        lambda text: {
            piece.chunk_hash
            for piece in chunk(replace(documents[0], text=text), max_tokens=limit, count_tokens=embedder.count_tokens)
        },
    )
    print(f"one edit, cut by section:                 {by_section}")
    print(f"one edit, splitter over the whole page:   {kept_after_an_edit(documents, lambda t: set(whole.chunks(t)))}")
    print(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000:.0f} MB")


if __name__ == "__main__":
    main()

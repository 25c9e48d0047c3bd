"""The texts that are measured, and the changes that a source makes to them. Same input, same changes, everywhere."""

from __future__ import annotations

import hashlib
import re
import tarfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath

from include.domain.documents import Chunk, DocumentKey, ExtractedDocument, FetchedDocument
from include.text.chunk import chunk
from include.text.normalise import extract

SOURCE = "corpus"
CHUNK_TOKENS = 256
MEDIA_TYPES = {
    ".md": "text/markdown",
    ".mdx": "text/markdown",
    ".markdown": "text/markdown",
    ".rst": "text/x-rst",
    ".html": "text/html",
    ".txt": "text/plain",
}
_WORD = re.compile(r"(?<![\w/.`-])[a-z]{7,14}(?![\w/.`-])")
_ALWAYS = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Page:
    """One document at its source. `version` changes with text and title."""

    doc_id: str
    title: str
    text: str

    @property
    def version(self) -> str:
        return hashlib.sha256(f"{self.title}\x1f{self.text}".encode()).hexdigest()[:16]

    def fetched(self, at: datetime = _ALWAYS) -> FetchedDocument:
        return FetchedDocument(
            key=DocumentKey(SOURCE, self.doc_id),
            version=self.version,
            body=self.text.encode(),
            media_type=MEDIA_TYPES[PurePosixPath(self.doc_id).suffix.lower()],
            url=f"https://docs.example.org/{self.doc_id}",
            fetched_at=at,
            title=self.title,
            empty_is_legitimate=True,
        )


Corpus = Mapping[str, Page]


def cut(page: Page, count_tokens: Callable[[str], int]) -> tuple[ExtractedDocument, tuple[Chunk, ...]]:
    """Extractor and chunker that every tool is given."""
    document = extract(page.fetched())
    return document, chunk(document, max_tokens=CHUNK_TOKENS, count_tokens=count_tokens)


def load(place: Path, *, documents: int | None = None) -> Corpus:
    """The readable files of a folder, a git checkout or a tar archive, in the order of their paths.

    `documents` takes that many, spread evenly. Files that are no UTF-8 text or that the extractor refuses are left
    out: what is compared is the upkeep of an index, not the reading of odd files. Raises ValueError if none is left.
    """
    pages = {}
    for name, body in sorted(_files(place)):
        try:
            page = Page(name, PurePosixPath(name).stem, body.decode())
            extract(page.fetched())
        except Exception:  # noqa: BLE001 (whatever it is, this file is not measured)
            continue
        pages[name] = page
    if not pages:
        raise ValueError(f"{place}: no readable text file ({', '.join(MEDIA_TYPES)}) in it; name another folder")
    if documents is None or documents >= len(pages):
        return pages
    step = len(pages) / documents
    names = list(pages)
    return {names[int(number * step)]: pages[names[int(number * step)]] for number in range(documents)}


def _files(place: Path) -> Iterator[tuple[str, bytes]]:
    if place.is_file():
        with tarfile.open(place) as archive:
            for member in archive:
                if member.isfile() and PurePosixPath(member.name).suffix.lower() in MEDIA_TYPES:
                    content = archive.extractfile(member)
                    assert content is not None
                    yield member.name, content.read()
        return
    for file in place.rglob("*"):
        name = file.relative_to(place)
        if file.suffix.lower() in MEDIA_TYPES and file.is_file() and not file.is_symlink() and ".git" not in name.parts:
            yield name.as_posix(), file.read_bytes()


def edited(corpus: Corpus, *, share: float, seed: int = 0, place: float = 0.3) -> Corpus:
    """A word is misspelt in some documents, in every fifth of them two, far apart; the first at this share of the text.

    The length stays, so that a chunk changes for each word and no border moves: the fewest chunks that any chunker
    could ask to be embedded are known.
    """
    pages = dict(corpus)
    for number, doc_id in enumerate(_some(corpus, share, seed)):
        text = _misspelt(pages[doc_id].text, place)
        if number % 5 == 4:
            text = _misspelt(text, 0.9)
        pages[doc_id] = replace(pages[doc_id], text=text)
    return pages


def deleted(corpus: Corpus, *, share: float) -> Corpus:
    gone = set(_some(corpus, share, 3))
    return {doc_id: page for doc_id, page in corpus.items() if doc_id not in gone}


def shrunk(corpus: Corpus, *, share: float) -> Corpus:
    """Some documents lose their last third."""
    pages = dict(corpus)
    for doc_id in _some(corpus, share, 5):
        lines = pages[doc_id].text.splitlines(keepends=True)
        pages[doc_id] = replace(pages[doc_id], text="".join(lines[: max(1, len(lines) * 2 // 3)]))
    return pages


def renamed(corpus: Corpus, *, share: float) -> Corpus:
    moved = set(_some(corpus, share, 7))
    return {
        page.doc_id: page
        for page in (replace(p, doc_id=f"moved/{p.doc_id}") if p.doc_id in moved else p for p in corpus.values())
    }


def retitled(corpus: Corpus, *, share: float) -> Corpus:
    """Some documents get another title; their text stays."""
    pages = dict(corpus)
    for doc_id in _some(corpus, share, 11):
        pages[doc_id] = replace(pages[doc_id], title=f"{pages[doc_id].title} (reviewed)")
    return pages


def multiplied(corpus: Corpus, times: int) -> Corpus:
    """The corpus several times, under other ids and with every paragraph altered: nothing is the same text twice."""
    pages = {}
    for copy in range(times):
        for page in corpus.values():
            text = _WORD.sub(partial(_turned, copy), page.text)
            pages[f"copy{copy}/{page.doc_id}"] = replace(page, doc_id=f"copy{copy}/{page.doc_id}", text=text)
    return pages


def _turned(letters: int, word: re.Match[str]) -> str:
    return word[0][letters:] + word[0][:letters]


def _some(corpus: Corpus, share: float, seed: int) -> list[str]:
    """That share of the documents, at least two, spread over the corpus; other documents for another seed.

    Only documents that are long enough to be changed in the middle.
    """
    long_enough = [doc_id for doc_id, page in corpus.items() if len(_WORD.findall(page.text)) >= 60]
    number = max(2, round(len(corpus) * share))
    step = len(long_enough) / number
    return [long_enough[(int(step * i) + seed * 13) % len(long_enough)] for i in range(number)]


def _misspelt(text: str, place: float) -> str:
    words = [word for word in _WORD.finditer(text) if word[0] != word[0][::-1]]
    word = words[int(len(words) * place)]
    return text[: word.start()] + word[0][::-1] + text[word.end() :]

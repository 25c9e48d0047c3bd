"""reStructuredText as Markdown, lightly: headings and code become Markdown, every other line stays as it is.

docutils would resolve roles and tables too, for 27 ms of CPU per page of 16 kB against 3 ms here, and gives up on
files that people publish every day. For finding text, what matters is where sections begin and that a
`# comment` in a code block is not taken for a heading.
"""

from __future__ import annotations

import re

_ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1+")
_CODE = re.compile(r"(\s*)\.\.\s+(?:code-block|code|sourcecode|parsed-literal|prompt|doctest)::(?:\s+(\S+))?\s*$")
_OPTION = re.compile(r"\s+:[\w-]+:(?:\s|$)")
_MARKDOWN_ONLY = re.compile(r"^( {0,3})(#{1,6}(?=[ \t]|$)|~{3}|`{3})")


def to_markdown(text: str) -> str:
    """`text` (LF line ends) with section titles as `#` headings and literal blocks as fences. Never raises."""
    return "\n".join(_Reader(text.split("\n")).read())


class _Reader:
    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._styles: list[str] = []  # adornments in the order of their first use: their place is the level
        self._out: list[str] = []

    def read(self) -> list[str]:
        at = 0
        while at < len(self._lines):
            at = self._title(at) or self._directive(at) or self._literal_block(at) or self._other(at)
        return self._out

    def _line(self, at: int) -> str:
        return self._lines[at].rstrip() if at < len(self._lines) else ""

    def _title(self, at: int) -> int:
        """Past a section title with an underline, or with both lines; 0 if there is none here."""
        first, second, third = self._line(at), self._line(at + 1), self._line(at + 2)
        if _ADORNMENT.fullmatch(first) and first == third and second and not _ADORNMENT.fullmatch(second):
            title, style, end = second.strip(), first[0] * 2, at + 3
            fits = len(first) >= min(len(title), 4)
        elif first and not first[0].isspace() and _ADORNMENT.fullmatch(second) and not _ADORNMENT.fullmatch(first):
            title, style, end = first, second[0], at + 2
            # docutils warns about a line that is too short, and takes it from four characters on
            above = self._line(at - 1) if at else ""
            fits = len(second) >= min(len(title), 4) and (
                not above or above.startswith("..") or _ADORNMENT.fullmatch(above) is not None
            )
        else:
            return 0
        if not fits:
            return 0
        if style not in self._styles:
            self._styles.append(style)
        level = min(self._styles.index(style) + 1, 6)
        self._out.append(f"{'#' * level} {title}")
        return end

    def _directive(self, at: int) -> int:
        """Past a code directive and its block; 0 if there is none here."""
        match = _CODE.match(self._line(at))
        if not match:
            return 0
        start = at + 1
        while _OPTION.match(self._line(start)):
            start += 1
        end = self._fence(start, len(match[1]), match[2] or "")
        if end == start:  # no block below: a file name, or an empty directive; keep the line
            self._out.append(self._line(at))
        return end

    def _literal_block(self, at: int) -> int:
        """Past a paragraph line that ends in `::` and the block that it announces; 0 if there is none here."""
        line = self._line(at)
        if not line.endswith("::") or re.match(r"\s*\.\.\s", line):
            return 0
        announced = len(line) - len(line.lstrip())
        bare = line.strip() == "::"
        start = at + 1
        if self._line(start):  # the paragraph goes on: no block starts here
            return 0
        if not bare:
            self._out.append(_escaped(line[:-1]))
        end = self._fence(start, announced, "")
        if end == start:
            if bare:
                self._out.append(line)
            return start
        return end

    def _fence(self, start: int, indent: int, language: str) -> int:
        """Emit the lines below `start` that are indented more than `indent` as a fence; the line after them."""
        end = at = start
        while at < len(self._lines):
            line = self._lines[at]
            if line.strip():
                if len(line) - len(line.lstrip()) <= indent:
                    break
                end = at + 1
            at += 1
        block = self._lines[start:end]
        while block and not block[0].strip():
            block.pop(0)
        if not block:
            return start
        margin = min(len(line) - len(line.lstrip()) for line in block if line.strip())
        code = [line[margin:] for line in block]
        ticks = max((len(run) for line in code for run in re.findall(r"^ {0,3}(`{3,})", line)), default=2)
        fence = "`" * (ticks + 1)
        self._out += ["", fence + language, *code, fence]
        return end

    def _other(self, at: int) -> int:
        self._out.append(_escaped(self._lines[at]))
        return at + 1


def _escaped(line: str) -> str:
    """What is plain text in reStructuredText and would open a heading or a fence in Markdown gets a backslash."""
    return _MARKDOWN_ONLY.sub(r"\1\\\2", line)

"""MDX as Markdown: imports, exports, comments and wrapper tags go, everything that a reader sees stays."""

from __future__ import annotations

import re

from include.text.markdown import Fence, scan

# An ESM statement starts a line and reaches to the next blank line; prose that starts so would not compile.
_STATEMENT = re.compile(
    r"""^(?:import\s+(?:['"]|[\w*{][^\n]*?(?:\n(?!\s*\n)[^\n]*?)*?\bfrom\s*['"])
         |export\s+(?:const|let|var|function|class|default|async|\{|\*))
        [^\n]*(?:\n(?![ \t]*(?:\n|\Z))[^\n]*)*\n?""",
    re.MULTILINE | re.VERBOSE,
)
_COMMENT = re.compile(r"\{/\*.*?\*/\}", re.DOTALL)
_ATTRIBUTE_VALUE = r"""(?:"[^"]*"|'[^']*'|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\})"""
# A line (or lines) with nothing but one tag of a component, or of a fragment.
_TAG_ALONE = re.compile(
    rf"^[ \t]*(?:</?>|</[A-Z][\w.]*\s*>|<[A-Z][\w.]*(?:\s+[\w:-]+(?:\s*=\s*{_ATTRIBUTE_VALUE})?)*\s*/?>)[ \t]*$",
    re.MULTILINE,
)
# Attributes that are shown to the reader.
_SHOWN = re.compile(
    r"""\b(?:title|label|heading|header|summary|description|caption|alt|question|name)
        \s*=\s*\{?\s*(?:"([^"]*)"|'([^']*)')""",
    re.VERBOSE,
)


def to_markdown(text: str) -> str:
    """`text` (LF line ends, front matter taken off) without what only the MDX compiler reads. Fences stay verbatim."""
    out: list[str] = []
    position = 0
    for block in scan(text):
        if isinstance(block, Fence):
            out += [_prose(text[position : block.start]), text[block.start : block.end]]
            position = block.end
    return "".join([*out, _prose(text[position:])])


def _prose(text: str) -> str:
    text = _COMMENT.sub("", _STATEMENT.sub("", text))
    return _TAG_ALONE.sub(_shown_attributes, text)


def _shown_attributes(tag: re.Match[str]) -> str:
    return "\n".join(first or second for first, second in _SHOWN.findall(tag[0]))

"""Texts as Wagtail's rich text editor sends them: Draft.js blocks in JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from tests.cms.words import heading, paragraph, sentence

Block = Mapping[str, Any]
Blocks = Sequence[Block]


def new_text(random: Random) -> Blocks:
    """A paragraph, and up to eight sections of headings, paragraphs, lists and emphasis."""
    blocks = [_block(random, paragraph(random))]
    for _ in range(random.randint(0, 8)):
        blocks += new_section(random)
    return blocks


def new_section(random: Random) -> Blocks:
    kind = random.choice(("paragraph", "emphasis", "heading", "list"))
    text = paragraph(random)
    if kind == "emphasis":
        bold = {"offset": 3, "length": random.randint(5, 20), "style": "BOLD"}
        return [{**_block(random, text), "inlineStyleRanges": [bold]}]
    if kind == "heading":
        return [_block(random, heading(random), random.choice(("header-two", "header-three"))), _block(random, text)]
    if kind == "list":
        return [_block(random, sentence(random), "unordered-list-item") for _ in range(random.randint(2, 5))]
    return [_block(random, text)]


def to_form(blocks: Blocks) -> str:
    return json.dumps({"blocks": list(blocks), "entityMap": {}})


def from_form(value: str) -> Blocks:
    blocks: Blocks = json.loads(value)["blocks"]
    return blocks


def _block(random: Random, text: str, kind: str = "unstyled") -> Block:
    key = f"{random.randrange(16**5):05x}"
    return {"key": key, "type": kind, "depth": 0, "text": text, "inlineStyleRanges": [], "entityRanges": []}

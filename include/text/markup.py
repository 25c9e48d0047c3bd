"""Markup that is no prose, in the forms that documents mix: code blocks, signs of emphasis, XML instead of text."""

from __future__ import annotations

import re

FENCED = re.compile(r"^[ \t>]*(`{3,}|~{3,}).*?(?:^[ \t>]*\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
"""A block of code between fences, in a quotation too; without an end it reaches to that of the text."""

EMPHASIS = re.compile(r"\*\*|__|(?<!\w)[*_]|[*_](?!\w)")
"""The signs alone, whether or not they come in pairs."""

XML_DOCUMENT = re.compile(r"\s*(?:<\?xml\b|<!DOCTYPE\s+(?!html)|<(?:xep|rfc|jep)\b)", re.IGNORECASE)
"""Begins a document that is XML as a whole, HTML aside."""

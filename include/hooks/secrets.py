"""Which shared secrets are worth the name. One that is missing or weak lets nothing in."""

from __future__ import annotations

import re

from include.hooks.signatures import decoded

SHORTEST = 16
"""Characters of a secret; for the Standard Webhooks scheme bytes behind the base64."""

_PUBLISHED = frozenset({"dGhpc19zZWNyZXRfaXNfZm9yX3Rlc3Rpbmdfb25seQ=="})
"""Zendesk signs trial deliveries with it, for everybody alike."""


def weakness(scheme: str, secret: str) -> str:
    """Why this secret is not used, in words that do not repeat it; empty when it is."""
    if not secret.strip():
        return "is empty"
    if secret in _PUBLISHED:
        return "is the one that Zendesk's documentation publishes for trials"
    if scheme == "standard":
        key = secret.removeprefix("whsec_")
        # The library passes over characters that are no base64, and would sign with a shorter key than was meant.
        length = len(decoded(key, "base64")) if re.fullmatch(r"[A-Za-z0-9+/]+={0,2}", key) else 0
        return "" if length >= SHORTEST else f"is not the base64 of at least {SHORTEST} bytes (whsec_ may stand before)"
    return "" if len(secret) >= SHORTEST else f"has {len(secret)} characters, fewer than {SHORTEST}"

"""What protects the pages beside Airflow's login: where a change may be sent from, and what a browser may load."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import HTTPException, Request

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",
        "base-uri 'none'",
    )
)

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
}


def same_origin(request: Request) -> None:
    """Refuses what another site made a browser send. Airflow's cookie goes along with such a request from another port
    of the same host, so the browser's own word about where it comes from is asked for.

    A browser sends `Sec-Fetch-Site` or `Origin` with every POST; one that sends neither is refused too.
    """
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        allowed = site == "same-origin"
    else:
        origin = request.headers.get("origin", "")
        allowed = bool(origin) and urlsplit(origin).netloc == request.headers.get("host")
    if not allowed:
        raise HTTPException(403, "This was sent from another page than the ops view. Open the page and decide there.")

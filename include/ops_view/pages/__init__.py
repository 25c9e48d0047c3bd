"""The pages, in the order of the menu. Each module has `ENTRY` and `routes(view)`; see the package above."""

from __future__ import annotations

from include.ops_view.pages import document, explain, held, overview, review, review_many, runs

PAGES = (overview, runs, held, review, review_many, explain, document)

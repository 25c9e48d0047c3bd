"""What a commit says that takes documents out of their source: which, on what evidence, who decided it, why. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import fill

from include.domain.metadata import one_line
from include.planning.dispositions import Following

_WIDTH = 72


def purge_message(source: str, purged: Sequence[Following]) -> str:
    """The same for the same decisions, whichever run carries them out."""
    one = len(purged) == 1
    subject = f"Remove {one_line(purged[0].doc_id)}" if one else f"Remove {len(purged)} documents"
    parts = [f"{subject}, out of date", *(_about(each) for each in purged)]
    which = "it was" if one else "they were"
    end = (
        f"Decided in review, where {which} proposed for the source {source}. `git revert` of this commit takes it back."
    )
    return "\n\n".join([*parts, fill(end, _WIDTH)]) + "\n"


def _about(each: Following) -> str:
    item = each.item
    if item is None or item.decision is None:
        raise ValueError(f"{each.doc_id}: nobody decided to remove it")
    title = f" ({one_line(item.title)})" if item.title else ""
    lines = [f"{one_line(each.doc_id)}{title}"]
    lines += [_indented(f"- {one_line(found.sentence)}") for found in item.evidence]
    if item.replacement:
        lines.append(_indented(f"Read instead: {one_line(item.replacement)}"))
    if each.told:
        lines.append(_indented(one_line(each.told)))
    lines.append(_indented(f"Decided by {item.decision.by} on {item.decision.at[:10]}: {item.decision.why}"))
    return "\n".join(lines)


def _indented(text: str) -> str:
    return fill(
        text, _WIDTH, initial_indent="  ", subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )

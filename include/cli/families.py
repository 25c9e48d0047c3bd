"""What supersedes what: the resolver's plan, its families, and a person's answer where it cannot tell."""

from __future__ import annotations

from typing import Annotated

import typer

from include.cli.command import EXIT, Json, Reason, Source, app, application, explained, new_run, run_all, speaker
from include.cli.family_tables import (
    family_record,
    print_families,
    print_family,
    print_family_plan,
    print_rejected,
    rejected_record,
)
from include.domain.errors import ConfigError
from include.domain.manifest import Manifest, RunState
from include.families.members import FamilyDecision
from include.services.family_answers import Answer
from include.services.metadata_run import SET_METADATA
from include.services.resolve_canonical import RESOLVE
from include.services.resolving import Resolved
from include.terminal import out, progress_bar
from include.wiring import families as wiring
from include.wiring import runs
from include.wiring.application import Application

OneSource = Annotated[str, typer.Argument(help="a source")]


@app.command()
@explained
def resolve(
    source: Source = "all",
    family: Annotated[str, typer.Option(help="only the family of this name")] = "",
    apply: Annotated[bool, typer.Option("--apply", help="write the marks; without it nothing is changed")] = False,
    max_changes: Annotated[
        int | None, typer.Option(min=0, help="mark nothing when more documents would change")
    ] = None,
    json_: Json = False,
) -> None:
    """Decide in each family which document holds, and show it; with --apply mark what it supersedes."""

    if family and source == "all":
        raise ConfigError("a family belongs to one source: name it")

    def one(application_: Application, name: str) -> Manifest:
        with progress_bar(name) as progress:
            return wiring.resolve_source(
                application_, name, new_run(RESOLVE), family=family, max_changes=max_changes, progress=progress
            )

    if apply:
        run_all(source, one, json_=json_)
    application_ = application()
    looked = [
        (name, *wiring.look_at_source(application_, name, new_run(RESOLVE), family=family))
        for name in runs.chosen_sources(application_, source)
    ]
    if json_:
        out.print_json(
            data=[
                {
                    **runs.summary(manifest),
                    "would_change": len(planned.plan.changes),
                    "would_supersede": planned.plan.retirements,
                    "would_wait": len(planned.verdict.held_changes),
                    "checksum": planned.verdict.checksum,
                    "families": [family_record(each, planned.resolved) for each in planned.resolved.decisions],
                    "changes": [
                        {"doc_id": each.doc_id, "action": each.action.value, "why": each.reason}
                        for each in planned.plan.changes
                    ],
                }
                for _, manifest, planned in looked
            ]
        )
    else:
        for name, _, planned in looked:
            print_family_plan(name, planned)
    if any(planned.verdict.held for _, _, planned in looked):
        raise typer.Exit(EXIT[RunState.HELD])


@app.command()
@explained
def families(
    source: OneSource,
    doc_id: Annotated[str, typer.Argument(help="a document: the tree of its family; empty: all families")] = "",
    rejected: Annotated[
        bool, typer.Option("--rejected", help="what names propose as a family and something speaks against")
    ] = False,
    json_: Json = False,
) -> None:
    """Show the families of a source as the resolver sees them now, or one of them as a tree, with links and reasons."""
    application_ = application()
    runs.chosen_sources(application_, source)
    resolved = wiring.families_of(application_, source)
    if rejected:
        taken_back = [each for each in resolved.rejected if not doc_id or doc_id in each.doc_ids]
        if json_:
            out.print_json(data=[rejected_record(each) for each in taken_back])
        else:
            print_rejected(source, taken_back)
        return
    shown = [_family_of(resolved, doc_id)] if doc_id else list(resolved.decisions)
    if json_:
        out.print_json(data=[family_record(each, resolved) for each in shown])
    elif doc_id:
        print_family(shown[0], resolved)
    else:
        print_families(resolved)


@app.command()
@explained
def decide(
    source: OneSource,
    family: Annotated[str, typer.Argument(help="the family, as `truecopy families` names it")],
    reason: Reason,
    head: Annotated[str, typer.Option(help="the document that holds")] = "",
    supersede: Annotated[
        list[str] | None, typer.Option(help="a document that it replaces; may be repeated; default: all others")
    ] = None,
    not_a_family: Annotated[
        bool, typer.Option("--not-a-family", help="the documents have nothing to do with one another")
    ] = False,
    by: Annotated[str, typer.Option(help="who decides")] = "",
    json_: Json = False,
) -> None:
    """Answer for a family that the resolver cannot decide, or overrule it. Your word counts from then on."""
    if bool(head) == not_a_family or (supersede and not_a_family):
        raise ConfigError("say either --head DOC, with --supersede DOC where it replaces only some, or --not-a-family")
    application_ = application()
    runs.chosen_sources(application_, source)
    with progress_bar(source) as progress:
        decided = wiring.decide_for_person(
            application_,
            source,
            Answer(family, head, tuple(supersede or ())),
            new_run(SET_METADATA),
            by=speaker(by),
            reason=reason,
            progress=progress,
        )
    if json_:
        out.print_json(data={"run_id": decided.run_id, "documents": [patch.doc_id for patch in decided.patches]})
        return
    out.print(f"{source}: {len(decided.patches)} documents are marked as you said")
    out.print(f"  undo: `truecopy set-meta {source} --revert {decided.run_id} --apply --reason …`", soft_wrap=True)


def _family_of(resolved: Resolved, doc_id: str) -> FamilyDecision:
    found = next((each for each in resolved.decisions if doc_id in each.members), None)
    if found is None:
        why = "it has no other versions" if doc_id in resolved.documents else "no reader finds such a document"
        raise ConfigError(
            f"{resolved.source}: {doc_id} belongs to no family: {why}. `truecopy families {resolved.source}` lists all"
        )
    return found

"""The question to a person about a held plan, as an Airflow operator.

An answer counts only when it is in our ledger, and only this operator writes it there, when a person really answered:
task states and XComs can be set by any editor. No timer decides: no default option, no time-out, and a DAG's
`execution_timeout`, which Airflow would turn into a response time-out, is switched off.

The heavy imports wait until a task runs, as in every DAG file.
"""

from __future__ import annotations

from typing import Any

from airflow.providers.standard.operators.hitl import ApprovalOperator
from airflow.sdk import Context, Param
from airflow.sdk.exceptions import AirflowFailException, AirflowSkipException, DownstreamTasksSkipped

from include.domain.dates import rfc3339
from include.domain.plan import HeldPlan, PlanKind

_QUESTION = {
    PlanKind.CONTENT: "apply {} held changes?",
    PlanKind.FAMILIES: "mark {} documents of its families, what supersedes what?",
    PlanKind.STAGING: "hide {} documents from readers until they are reviewed?",
    PlanKind.DISPOSITIONS: "purge or archive {} documents, as people decided one by one?",
}
_ALL = {
    PlanKind.CONTENT: "truecopy plan",
    PlanKind.FAMILIES: "truecopy resolve",
    PlanKind.STAGING: "truecopy detect",
    PlanKind.DISPOSITIONS: "truecopy apply-dispositions",
}

SHOWN = 50
"""Documents listed in the question; the manifest and `truecopy plan` have all."""


class HeldPlanApproval(ApprovalOperator):
    """Asks about the plan `checksum` of `source`; skips when that plan is not the held one any more, or was declined.

    Somebody may have answered elsewhere, in the ops view: then the ledger has it, and nobody is asked again.

    `source` and `checksum` are templated from the run's conf, which cannot be changed once the run exists, so that an
    answer always names the plan that was shown.
    """

    template_fields = (*ApprovalOperator.template_fields, "source", "checksum")

    def __init__(self, *, source: str, checksum: str, **kwargs: Any) -> None:
        for timer in ("defaults", "response_timeout"):
            if kwargs.get(timer) is not None:
                raise ValueError(f"{timer} is not allowed here: no timer may decide a deletion")
        kwargs |= {
            "execution_timeout": None,
            "retries": 0,
            "params": {"reason": Param("", type="string", description="why; it becomes part of the record")},
        }
        super().__init__(subject="Apply the held plan?", body="", **kwargs)
        self.source = source
        self.checksum = checksum

    def execute(self, context: Context) -> Any:
        from include.wiring.airflow import application, deciding
        from include.wiring.held_plans import open_plans, standing_release

        with deciding():
            held = open_plans(application(), self.source)
            plan = next((each for each in held if each.checksum == self.checksum), None)
            if plan is None:
                now = ", ".join(each.checksum for each in held)
                now = f"now held is {now}" if now else "nothing is held any more"
                raise AirflowSkipException(f"{self.source}: plan {self.checksum} is moot, {now}")
            if release := standing_release(application(), self.source, self.checksum):
                self.log.info("approved by %s: %s", release.approved_by, release.reason)
                return {"chosen_options": [self.APPROVE]}
            if plan.rejected_by:
                raise AirflowSkipException(
                    f"{self.source}: {plan.rejected_by} declined plan {self.checksum}: {plan.rejected_why}"
                )
            self.subject = f"{self.source}: {_QUESTION[plan.kind].format(len(plan.changes))} (plan {plan.checksum})"
            self.body = describe(plan)
            asked_at = rfc3339(application().clock.now())
            application().ledger.open_request(self.source, self.checksum, asked_at, plan.kind)
        return super().execute(context)

    def execute_complete(self, context: Context, event: dict[str, Any]) -> Any:
        from include.wiring.airflow import application, deciding
        from include.wiring.held_plans import release_held

        try:
            answer = super().execute_complete(context, event)  # raises on errors and time-outs
        except DownstreamTasksSkipped:
            person, reason = self._answered(event)
            with deciding():
                application().ledger.reject(self.source, self.checksum, by=person, why=reason)
            raise
        person, reason = self._answered(event)
        if answer["chosen_options"] != [self.APPROVE]:
            raise AirflowFailException(f"{self.source}: {answer['chosen_options']} is no approval; nothing is applied")
        with deciding():
            release_held(application(), self.source, self.checksum, by=person, why=reason)
        return answer

    def _answered(self, event: dict[str, Any]) -> tuple[str, str]:
        """Who answered, and why. Raises AirflowFailException when no person did."""
        person = str((event.get("responded_by_user") or {}).get("name") or "")
        if not person or event.get("timedout"):
            raise AirflowFailException(f"{self.source}: no person answered; nothing is applied")
        return person, str((event.get("params_input") or {}).get("reason") or "")


def describe(plan: HeldPlan) -> str:
    """The plan as Markdown for the required-actions page: why it is held, and what would happen to which documents."""
    lines = [f"Held since {plan.first_held_at}, {plan.indexed_documents} documents indexed.", ""]
    lines += [f"- {hold.message}" for hold in plan.holds]
    lines += ["", "| change | document | why |", "|---|---|---|"]
    for change in plan.changes[:SHOWN]:
        goes = f" → {change.moved_to}" if change.moved_to else ""
        lines.append(f"| {change.action} | {_cell(change.doc_id + goes)} | {_cell(change.reason)} |")
    if len(plan.changes) > SHOWN:
        lines.append(f"\n… and {len(plan.changes) - SHOWN} more: `{_ALL[plan.kind]} {plan.source}` lists all.")
    lines.append("\nApproving applies exactly this list; if the sources have changed by then, it is refused.")
    return "\n".join(lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ").replace("<", "&lt;")

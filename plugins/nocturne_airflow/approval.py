"""Airflow task that asks people to approve an interval until an answer settles the question.

An answer arrives from a steward's page or from Airflow's own «Required Actions»; both end here, where `deid.release`
weighs it. After an answer that does not settle the question (a second person is required, a requester answered alone,
the person may not decide, no reason was given) the task waits again with the same question.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.hitl import HITLOperator
from airflow.sdk import Param

from nocturne_airflow import alerts
from nocturne_airflow.launch import interval_key
from nocturne_airflow.steps import redacted_errors

# As in `deid.release.decisions.ANSWERS`, which is too heavy to import where Airflow reads DAG files.
OPTIONS = ("Approuver", "Rejeter", "Renvoyer en traitement")
DIGEST = "empreinte"
REASON = "motif"
SHORT = 12  # characters of a digest that the form shows, as on the page of a decision
COUNTS = {  # of a summary, in the order of the page of a decision
    "staged": "documents prêts",
    "quarantined": "en quarantaine",
    "corrected": "corrections de documents publiés",
    "withdrawn": "retraits",
    "critical": "contrôles critiques en échec",
    "warnings": "alertes d'ensemble",
}
BODY = """\
{nights}, empreinte {short} ([page de la publication](/nocturne/releases/{key}/decision)) :

{counts}

**Approuver** : publier. **Rejeter** : ne pas publier. **Renvoyer en traitement** : effacer ce qui est prêt, refaire \
l'intervalle. Le motif n'est exigé que pour rejeter ou renvoyer.

Si la question reste posée après une réponse, une autre personne doit répondre, ou le motif manque : la page le dit.
"""


def close_lost_question(context: Any) -> None:
    """Close the question of a task that failed: nobody can answer it any more."""
    if ReleaseApproval.close(context["dag_run"].run_id, "lost"):
        alerts.lost(interval_key(context.get("partition_key")))


class ReleaseApproval(HITLOperator):
    """Waits until people have settled the content of `summarise`; returns `{"outcome": …}`: approve, reject or rework.

    `summary_of` is the task id of the summary. Each question holds the digest of its content; a form filled in for
    another content is no answer. Silence never publishes: the task fails at its timeout.
    """

    def __init__(self, *, summary_of: str, **kwargs: Any) -> None:
        params = {
            # A null is what Airflow's form takes for an empty field: no option can be pressed where a type forbids it.
            REASON: Param(None, type=["null", "string"], maxLength=200, title="Motif (exigé pour rejeter ou renvoyer)"),
            DIGEST: Param("", type="string", maxLength=64, title="Empreinte de ce qui est présenté"),
        }
        kwargs.setdefault("on_failure_callback", close_lost_question)
        kwargs |= {"options": list(OPTIONS), "params": params, "response_timeout": timedelta(days=7)}
        super().__init__(subject="Publier ?", **kwargs)
        self.summary_of = summary_of

    def execute(self, context: Any) -> Any:
        """Ask, unless exactly this content was decided already by an answer to this run whose task was lost."""
        summary, key, digest, asked_by = self._about(context)
        if taken := self._settled(context["dag_run"].run_id, key, digest, asked_by):
            return taken
        self._ask(context["dag_run"].run_id, key, digest, asked_by)
        alerts.waiting(key)
        return self._wait(context, summary)

    def execute_complete(self, context: Any, event: dict[str, Any]) -> Any:
        """Weigh an answer; return its outcome, or ask again."""
        if "error" in event and self.close(context["dag_run"].run_id, "expired"):
            alerts.lost(interval_key(context.get("partition_key")))
        try:
            answer = super().execute_complete(context, event)
        except ValueError:
            answer = {}  # a form that does not fit the question: no answer
        summary, key, digest, asked_by = self._about(context)
        taken = self._take(context["dag_run"].run_id, key, digest, asked_by, dict(answer))
        if taken["outcome"] == "ask":
            self.log.info("The question stays open: %s; %s more wanted.", taken["why"], taken["waiting_for"])
            return self._wait(context, summary)
        return {"outcome": taken["outcome"]}

    def present(self, summary: Mapping[str, Any]) -> None:
        """Write what people read: the nights, the counts, and the digest as a choice of one that cannot be changed."""
        from deid.reports.numbers import Writer

        words, digest = Writer("fr"), str(summary["staged_digest"])
        nights = words.interval(summary["interval_key"])
        counts = "\n".join(f"- {name} : {words.plain(summary[count])}" for count, name in COUNTS.items())
        about = {"key": summary["interval_key"], "short": digest[:SHORT], "counts": counts}
        self.subject, self.body = f"{nights} : publier ?", BODY.format(nights=nights, **about)
        title = self.params.get_param(DIGEST).schema["title"]
        shown = {digest: digest[:SHORT]}
        self.params[DIGEST] = Param(digest, type="string", enum=[digest], values_display=shown, title=title)
        self.params[REASON] = None

    def _wait(self, context: Any, summary: Mapping[str, Any]) -> Any:
        self.present(summary)
        return super().execute(context)

    def validate_params_input(self, params_input: Any) -> None:
        """Leave a partial form alone: `deid.release` says what an answer needs."""
        for name, value in params_input.items():
            if name in self.params:
                self.params[name] = value

    def _about(self, context: Any) -> tuple[dict[str, Any], str, str, str | None]:
        summary = context["ti"].xcom_pull(task_ids=self.summary_of)
        asked_by = getattr(context["dag_run"], "triggering_user_name", None)
        return summary, interval_key(context.get("partition_key")), str(summary["staged_digest"]), asked_by

    @staticmethod
    @redacted_errors
    def _settled(run_id: str, key: str, digest: str, asked_by: str | None) -> dict[str, str] | None:
        from deid.release.decisions import close_question, settled_outcome

        taken = settled_outcome(key, digest, airflow_run=run_id, asked_by=asked_by)
        if taken is None:
            return None
        close_question(run_id, taken.outcome.value)
        return {"outcome": taken.outcome.value}

    @staticmethod
    @redacted_errors
    def _ask(run_id: str, key: str, digest: str, asked_by: str | None) -> None:
        from deid.release.decisions import ask_question

        ask_question(run_id, key, digest, requested_by=asked_by)

    @staticmethod
    @redacted_errors
    def close(run_id: str, outcome: str) -> bool:
        """Close the question of a run; return whether it was open."""
        from deid.release.decisions import close_question

        return close_question(run_id, outcome)

    @staticmethod
    @redacted_errors
    def _take(run_id: str, key: str, digest: str, asked_by: str | None, answer: dict[str, Any]) -> dict[str, Any]:
        from deid.domain.errors import ReleaseRefused
        from deid.release.decisions import Outcome, close_question, take_answer

        try:
            taken = take_answer(key, answer, digest=digest, asked_by=asked_by, airflow_run=run_id)
        except ReleaseRefused:
            close_question(run_id, "stale")
            raise
        if taken.outcome is not Outcome.ASK:
            close_question(run_id, taken.outcome.value)
        return {
            "outcome": taken.outcome.value,
            "why": taken.why.value if taken.why else "",
            "waiting_for": taken.waiting_for,
        }

"""The few calls of Airflow's REST interface that the demo makes."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import requests

from deid.domain.errors import NocturneError

ENDED = frozenset({"success", "failed"})


class AirflowRefused(NocturneError):
    """Airflow answered that it would not do what was asked, or did not answer."""


def check_alive(alive: Callable[[], bool]) -> None:
    """Refuse to go on without Airflow.

    Raises:
        AirflowRefused: it has ended.
    """
    if not alive():
        raise AirflowRefused("Airflow has ended by itself.", "The files in airflow/components of the home say why.")


class Interface:
    """Airflow at `url`, as `user`. What gets no answer is asked again while it is `alive`."""

    def __init__(self, url: str, user: str, password: str, alive: Callable[[], bool] = lambda: True) -> None:
        self.url = url
        self._alive = alive
        self._credentials = {"username": user, "password": password}
        self._session = requests.Session()

    def healthy(self) -> bool:
        """True if database, scheduler and DAG processor all work."""
        try:
            answer = requests.get(f"{self.url}/api/v2/monitor/health", timeout=5).json()
        except (requests.RequestException, ValueError):
            return False
        parts = ("metadatabase", "scheduler", "dag_processor")
        return all((answer.get(part) or {}).get("status") == "healthy" for part in parts)

    def dags(self) -> dict[str, bool]:
        """DAG id → whether it is paused; those whose file has been read."""
        return {dag["dag_id"]: dag["is_paused"] for dag in self._call("GET", "dags")["dags"]}

    def unpause(self, dag_id: str) -> None:
        """Unpause a DAG."""
        self._call("PATCH", f"dags/{dag_id}", {"is_paused": False})

    def put_pool(self, name: str, pool: Mapping[str, Any]) -> None:
        """Create a pool, or reset its size."""
        body = {"name": name, **pool}
        if self._call("POST", "pools", body, accept=(409,)) is None:
            self._call("PATCH", f"pools/{name}", body)

    def run(self, dag_id: str, run_id: str) -> dict[str, Any] | None:
        """Return a run, or None if no run has that name."""
        found: dict[str, Any] | None = self._call(
            "GET", f"dags/{dag_id}/dagRuns/{quote(run_id, safe='')}", accept=(404,)
        )
        return found

    def runs(self, dag_id: str) -> list[dict[str, Any]]:
        """The last hundred runs of a DAG, the newest first."""
        answer = self._call("GET", f"dags/{dag_id}/dagRuns", order_by="-id", limit=100)
        return list(answer["dag_runs"])

    def trigger(
        self, dag_id: str, run_id: str, interval: tuple[datetime, datetime] | None = None, **conf: Any
    ) -> dict[str, Any]:
        """Start a run of that name, over an interval where one is given; one that runs already is returned.

        Airflow may have made the run and answered too late: the second request meets it.
        """
        body: dict[str, Any] = {"dag_run_id": run_id, "logical_date": None, "conf": conf}
        if interval:
            start, end = (bound.isoformat() for bound in interval)
            # A logical date is unique in a DAG, an interval is not: the same one may be run twice.
            now = datetime.now(UTC).isoformat()
            body |= {"logical_date": now, "data_interval_start": start, "data_interval_end": end}
        made = self._call("POST", f"dags/{dag_id}/dagRuns", body, accept=(409,)) or self.run(dag_id, run_id)
        if made is None:  # the conflict was another's: two runs of one logical date
            raise AirflowRefused(f"Airflow refused the run {run_id} of {dag_id}.", "Ask for it again in a moment.")
        return dict(made)

    def backfill(self, dag_id: str, first: datetime, last: datetime, **conf: Any) -> bool:
        """Ask for the scheduled runs whose logical date lies in [first, last], one at a time.

        False while another backfill of this DAG is open: Airflow closes one within half a minute of its last run.
        """
        body = {
            "dag_id": dag_id,
            "from_date": first.isoformat(),
            "to_date": last.isoformat(),
            "max_active_runs": 1,
            "reprocess_behavior": "none",
            "dag_run_conf": conf,
        }
        return self._call("POST", "backfills", body, accept=(409,)) is not None

    def retry(self, dag_id: str, run_id: str) -> None:
        """Run the failed steps of a run again."""
        self._call(
            "POST", f"dags/{dag_id}/dagRuns/{quote(run_id, safe='')}/clear", {"dry_run": False, "only_failed": True}
        )

    def steps(self, dag_id: str, run_id: str) -> list[dict[str, Any]]:
        """The task instances of a run."""
        found: list[dict[str, Any]] = []
        while True:
            path = f"dags/{dag_id}/dagRuns/{quote(run_id, safe='')}/taskInstances"
            page = self._call("GET", path, limit=100, offset=len(found))
            found += page["task_instances"]
            if not page["task_instances"] or len(found) >= page["total_entries"]:
                return found

    def result(self, dag_id: str, run_id: str, task_id: str) -> Any:
        """Return the result of a step, counts and ids; None if it returned nothing."""
        path = f"dags/{dag_id}/dagRuns/{quote(run_id, safe='')}/taskInstances/{task_id}/xcomEntries/return_value"
        answer = self._call("GET", path, accept=(404,), deserialize="true")
        return None if answer is None else answer["value"]

    def questions(self, dag_id: str) -> Iterator[dict[str, Any]]:
        """List the questions that wait for a person's answer."""
        answer = self._call("GET", f"dags/{dag_id}/dagRuns/~/hitlDetails", response_received="false")
        for detail in answer["hitl_details"]:
            if detail["task_instance"]["state"] == "awaiting_input":
                yield detail

    def answer(self, task: Mapping[str, Any], chosen: str, **form: Any) -> None:
        """Answer a question from `questions`."""
        run_id = quote(task["dag_run_id"], safe="")
        path = f"dags/{task['dag_id']}/dagRuns/{run_id}/taskInstances/{task['task_id']}/{task['map_index']}/hitlDetails"
        self._call("PATCH", path, {"chosen_options": [chosen], "params_input": form}, accept=(409,))

    def _call(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, accept: tuple[int, ...] = (), **query: Any
    ) -> Any:
        for attempt in range(5):
            try:
                answer = self._authorised(method, path, body, query)
            except requests.RequestException:  # the interface restarts, or the machine is busy
                check_alive(self._alive)
                if attempt:
                    print(f"Airflow ne répond pas à {method} {path} : nouvel essai.", file=sys.stderr, flush=True)
                time.sleep(2**attempt)
                continue
            if answer.status_code in accept:
                return None
            if answer.ok:
                return answer.json() if answer.content else {}
            if answer.status_code < 500 and answer.status_code != 401:
                raise AirflowRefused(
                    f"Airflow refused {method} {path} with HTTP {answer.status_code}.", _detail(answer)
                )
            time.sleep(2**attempt)
        raise AirflowRefused(f"Airflow at {self.url} does not answer {method} {path}.", "Its logs say why.")

    def _authorised(
        self, method: str, path: str, body: Mapping[str, Any] | None, query: Mapping[str, Any]
    ) -> requests.Response:
        if "Authorization" not in self._session.headers:
            token = requests.post(f"{self.url}/auth/token", json=self._credentials, timeout=30)
            token.raise_for_status()
            self._session.headers["Authorization"] = f"Bearer {token.json()['access_token']}"
        answer = self._session.request(method, f"{self.url}/api/v2/{path}", json=body, params=query, timeout=30)
        if answer.status_code == 401:
            del self._session.headers["Authorization"]  # the token has run out: the next attempt asks for another
        return answer


def _detail(answer: requests.Response) -> str:
    try:
        return str(answer.json().get("detail", ""))[:300]
    except ValueError:
        return ""

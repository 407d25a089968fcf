"""The demo's scenario: thirty nights of a synthetic hospital through Airflow; a second run finds nothing new."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from deid.config.settings import settings
from deid.database.embedded import write_private
from deid.domain import NIGHT_TURNS
from deid.domain.errors import InputRefused
from deid.publication.publish import make_visible
from deid.release.decisions import ANSWERS, APPROVE
from deid.schema.provision import provision, read_env
from demo.airflow import ADMIN, ROOT, STEWARD, Airflow
from demo.hospital import generate, load
from demo.hospital.calendar import FIRST_NIGHT
from demo.progress import Follower, Progress
from demo.rest import AirflowRefused, Interface
from demo.summary import counts, print_addresses, print_counts

PARIS = ZoneInfo("Europe/Paris")
NIGHT_BEGINS = NIGHT_TURNS
MARKER = "demo.json"  # to which night the synthetic warehouse is loaded
# Of `--ask`. Each task reads the policy anew: it changes ahead of the last night.
ANSWERED = "extends: default\n"
ASKED = f"{ANSWERED}release: {{approval: always, approvals: 2}}\n"
READY_S = 240
APPEARS_S = 120
DEIDENTIFY, RELEASE, REFRESH = "deidentify_documents", "release_dataset", "refresh_references"


@dataclass(frozen=True)
class Scale:
    """Size of the synthetic hospital. The last two of its `nights` run one by one, the others in one run."""

    patients: int = 320
    documents: int = 2600
    nights: int = 30
    batch_size: int = 500
    files: float = 0.12  # share of the documents
    seed: int = 2026

    @property
    def intervals(self) -> list[tuple[date, date]]:
        """First and last night of each run."""
        nights = [FIRST_NIGHT + timedelta(days=number) for number in range(self.nights)]
        single = [(night, night) for night in nights[1:][-2:]]
        return [(nights[0], nights[-1 - len(single)]), *single]


class Waits(Exception):
    """A release asks for an answer that is left to people."""


class Stopped(Exception):
    """Another command, `make down`, has stopped Airflow."""


class Scenario:
    """One run of the scenario, on the state under `home`."""

    def __init__(self, home: Path, scale: Scale, airflow: Airflow, progress: Progress) -> None:
        self.home = home
        self.scale = scale
        self.airflow = airflow
        self.progress = progress
        self._deployment = read_env(home / "nocturne.env")
        self._admin = Interface(airflow.url, ADMIN, airflow.password(ADMIN), self._alive)
        self._steward = Interface(airflow.url, STEWARD, airflow.password(STEWARD), self._alive)
        self._follower = Follower(self._admin, progress, self._answer, self._alive)
        self._hospital: Any = None
        self._news = self._left = False

    def run(self) -> None:
        """Load and run every interval; if all was done before, run the whole period again.

        Where the home has a policy of `--ask`, the last interval is left to people.

        Raises:
            NocturneError: a step of the way was refused or failed.
        """
        self._load(self.scale.intervals[0][1])
        self._ready()
        self._references()
        try:
            for first, last in self.scale.intervals:
                self._load(last)
                if last == self.scale.intervals[-1][1] and self.airflow.policy.exists():
                    write_private(self.airflow.policy, ASKED)
                    self._left = True
                self._interval(first, last)
            if not self._news:
                self._run_again()
        except Waits:
            self.progress.say(f"la dernière nuit attend une décision, la vôtre : make up, puis {self.airflow.pages}")
        make_visible("nightly")  # thirty nights pass in minutes: a week of the policy would never end

    def _alive(self) -> bool:
        return self.airflow.running() and not self.airflow.stopped

    def _load(self, until: date) -> None:
        """Bring the synthetic warehouse to the end of a night."""
        marker = self.home / MARKER
        state = json.loads(marker.read_text(encoding="utf-8")) if marker.exists() else {}
        if state.get("loaded", "") >= until.isoformat():
            return
        if self._hospital is None:
            scale = self.scale
            self.progress.say(f"hôpital fictif : s'écrit, {scale.documents} documents de {scale.patients} patients")
            self._hospital = generate(
                scale.seed,
                patients=scale.patients,
                documents=scale.documents,
                nights=scale.nights,
                files=scale.files,
            )
        load(self._deployment["NOCTURNE_OWNER_DSN"], self._hospital, until=until)
        write_private(marker, json.dumps({"loaded": until.isoformat()}))
        self.progress.say(f"hôpital fictif : son entrepôt est celui du {until}")

    def _ready(self) -> None:
        self.progress.say(f"Airflow : démarre à l'adresse {self.airflow.url}")
        make_ready(self._admin, self._follower, self.airflow)
        self.progress.say("Airflow : prêt")

    def _references(self) -> None:
        run_id = "demo_references"
        if (run := self._admin.run(REFRESH, run_id)) is None:
            self._admin.trigger(REFRESH, run_id)
        elif run["state"] == "success":
            return
        self._settle(REFRESH, run_id, "référentiels")

    def _interval(self, first: date, last: date) -> None:
        """De-identify an interval and see its release through."""
        about = f"nuit du {first}" if first == last else f"nuits du {first} au {last}"
        run_id = self._launched(first, last)
        staged = self._deidentified(run_id, about)
        if staged is None:
            self.progress.say(f"{about} : rien de nouveau")
            return
        held, gone = staged["quarantined"], staged["withdrawn"]
        self.progress.say(f"{about} : {staged['staged']} prêts, {held} en quarantaine, {gone} retirés par l'hôpital")
        release_id = self._release_of(staged["interval_key"])
        self._settle(RELEASE, release_id, staged["interval_key"])
        published = self._admin.result(RELEASE, release_id, "publish")
        if published is None:
            raise AirflowRefused(f"{staged['interval_key']} was not published.", "Its report and decision say why.")
        self.progress.say(f"{about} : {published['published']} publiés")

    def _launched(self, first: date, last: date) -> str:
        """Return the run of an interval: a manual run for a period, a backfilled scheduled run for one night."""
        interval = bounds(first, last)
        if first != last:
            run_id = f"demo_{first}_{last}"
            if self._admin.run(DEIDENTIFY, run_id) is None:
                self._news = True
                reason = "Démonstration : reprise de l'historique"
                size = self.scale.batch_size
                self._admin.trigger(DEIDENTIFY, run_id, interval, reason=reason, batch_size=size)
            return run_id
        return self._night(interval[0]) or self._backfilled(interval[0])

    def _backfilled(self, logical_date: datetime) -> str:
        """Ask Airflow for the scheduled run of a past night."""
        self._news = True
        asked, deadline = False, time.monotonic() + APPEARS_S
        reason = f"Démonstration : nuit du {logical_date:%d/%m/%Y}"
        while (found := self._night(logical_date)) is None:
            asked = asked or self._admin.backfill(DEIDENTIFY, logical_date, logical_date, reason=reason)
            if time.monotonic() > deadline:
                raise AirflowRefused(f"the backfill of {logical_date:%Y-%m-%d} made no run.", "Run `make demo` again.")
            self._follower.wait()
        return found

    def _night(self, logical_date: datetime) -> str | None:
        for run in self._admin.runs(DEIDENTIFY):
            if run["run_type"] == "backfill" and datetime.fromisoformat(run["logical_date"]) == logical_date:
                return str(run["dag_run_id"])
        return None

    def _deidentified(self, run_id: str, about: str) -> dict[str, Any] | None:
        self._settle(DEIDENTIFY, run_id, about)
        staged: dict[str, Any] | None = self._admin.result(DEIDENTIFY, run_id, "stage")
        return staged

    def _release_of(self, key: str) -> str:
        """The release run that Airflow starts for a staged interval."""
        deadline = time.monotonic() + APPEARS_S
        while time.monotonic() < deadline:
            for run in self._admin.runs(RELEASE):
                if run["partition_key"] == key:
                    return str(run["dag_run_id"])
            self._follower.wait()
        raise AirflowRefused(f"no run of {RELEASE} began for {key}.", f"{self.airflow.logs} says why.")

    def _settle(self, dag_id: str, run_id: str, about: str) -> None:
        """Wait for the end of a run; a run that failed earlier is retried once."""
        run = self._admin.run(dag_id, run_id)
        if run is not None and run["state"] == "success":
            self.progress.say(f"{dag_id} ({about}) : déjà fait")
            return
        if run is not None and run["state"] == "failed":
            self._admin.retry(dag_id, run_id)
        self._news = True
        if self._follower.follow(dag_id, run_id, about) != "success":
            where = f"{self.airflow.url}/dags/{dag_id}/runs/{run_id}"
            raise AirflowRefused(f"{dag_id} ({about}) failed.", f"`make up`, then {where} shows the step and its log.")

    def _answer(self) -> None:
        """Approve, as the steward, every release that asks for an approval.

        Raises:
            Waits: it is left to people.
        """
        for question in self._steward.questions(RELEASE):
            if self._left:
                raise Waits
            task = question["task_instance"]
            self._steward.answer(task, ANSWERS[APPROVE], motif="Démonstration : résumé lu, alertes comprises")
            self.progress.say(f"release_dataset : la politique demande une personne ; {STEWARD} (fictive) approuve")

    def _run_again(self) -> None:
        """Run the whole period again: the ledger has every document, so nothing is planned."""
        first, last = self.scale.intervals[0][0], self.scale.intervals[-1][1]
        run_id = f"demo_again_{datetime.now(PARIS):%Y%m%dT%H%M%S}"
        self._admin.trigger(DEIDENTIFY, run_id, bounds(first, last), reason="Démonstration : rien ne doit être nouveau")
        staged = self._deidentified(run_id, f"nuits du {first} au {last}, de nouveau")
        (run,) = counts(self._deployment["NOCTURNE_STEWARD_DSN"], "run", triggered_by=run_id)
        self.progress.say(f"toutes les nuits de nouveau : {run['seen']} documents vus, {run['planned']} nouveaux")
        if staged is not None:
            self._settle(RELEASE, self._release_of(staged["interval_key"]), staged["interval_key"])


def make_ready(interface: Interface, follower: Follower, airflow: Airflow) -> None:
    """Wait for Airflow, give it its pools, let its DAGs run.

    Raises:
        AirflowRefused: it has ended, or is not ready in time.
    """
    wanted = {DEIDENTIFY, RELEASE, REFRESH}
    deadline = time.monotonic() + READY_S
    while not (interface.healthy() and wanted <= set(interface.dags())):
        if time.monotonic() > deadline:
            raise AirflowRefused("Airflow is not ready after four minutes.", f"{airflow.logs} says why.")
        follower.rest()
    for name, pool in json.loads((ROOT / "docker" / "pools.json").read_text(encoding="utf-8")).items():
        interface.put_pool(name, pool)
    for dag_id in sorted(wanted):
        interface.unpause(dag_id)


def bounds(first: date, last: date) -> tuple[datetime, datetime]:
    """The interval of the nights `first` to `last`, both included: from 3:30 to 3:30, Paris."""
    start = datetime.combine(first, NIGHT_BEGINS, PARIS)
    return start, datetime.combine(last + timedelta(days=1), NIGHT_BEGINS, PARIS)


@contextmanager
def airflow_for_a_while(airflow: Airflow) -> Iterator[None]:
    """Start Airflow unless it runs, and stop it at the end if it was started here.

    Raises:
        Stopped: the body failed since another command has stopped Airflow.
    """
    started = airflow.start(detached=False)
    try:
        yield
    except Exception:
        if airflow.stopped:
            raise Stopped from None
        raise
    finally:
        if started is not None:
            airflow.stop()
            started.wait()


def play(home: Path, scale: Scale, port: int | None = None, *, ask: bool = False) -> None:
    """Provision, run the scenario, print the counts. PostgreSQL stays up for the researcher's queries.

    With `ask`, the last night waits for two people's approval, then and each time that the scenario is run again.

    Raises:
        NocturneError: something was refused; the message says what to do.
    """
    airflow = Airflow(home, port)
    if ask and not airflow.policy.exists():
        if (home / MARKER).exists():
            raise InputRefused("nights of this demonstration are decided: --ask is for its first run.", "`make reset`.")
        if airflow.running() or settings().policy:
            raise InputRefused("Airflow has another policy than that of --ask.", "`make down`; unset NOCTURNE_POLICY.")
        write_private(airflow.policy, ANSWERED)
    progress = Progress()
    progress.say("PostgreSQL : démarre, avec les rôles et schémas du produit")
    env_file = provision(home)
    os.environ.update(read_env(env_file))  # settings read var/nocturne.env by themselves, and no other home's
    settings.cache_clear()
    with airflow_for_a_while(airflow):
        Scenario(home, scale, airflow, progress).run()
        progress.say("fin")
    deployment = read_env(env_file)
    print_counts(progress, deployment["NOCTURNE_PUBLISHER_DSN"])
    print_addresses(progress, home, deployment, airflow)

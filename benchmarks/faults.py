"""Nights under seeded faults: does every schedule end in the state of a night without any?

    make faults                                   200 schedules; writes benchmarks/faults.md
    make faults ARGS="--schedules 5 --seed 40"    schedules of seeds 40 to 44 alone
    make faults ARGS="--kept var/faults.jsonl"    keeps each result there; asked again, plays the seeds that lack

A schedule draws from its seed two to six faults, the step and the point at which each strikes, and the order of the
batches, over two nights of a small synthetic hospital (corrections, withdrawals, documents that must be refused). What
fails is tried again, as an operator would. The research schema, states of documents, mentions, verdicts, ε and
quarantine are then compared with those of the nights without fault. Detection is by rules, so that a schedule takes
seconds. `--plant` damages the end of each schedule, which the comparison must then find.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import platform
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import psycopg2
from psycopg2 import sql

from benchmarks.end_state import State, differences, read_end_state
from benchmarks.fault_injection import Fault, Injector, Kind, Outcome, finish, install, run_apart, start
from deid.config.settings import Settings, settings
from deid.database.connection import open_cursor
from deid.database.embedded import EmbeddedServer
from deid.domain import PARIS
from deid.domain.errors import Reason
from deid.ledger import audit, runs
from deid.ledger.planning import Interval
from deid.nightly import steps
from deid.release import actions
from deid.schema.provision import DATABASE, OWNER, ROLES, provision, read_env
from deid.stewardship.quarantine import Choice, Filter, Standing, list_quarantined, record_choice
from demo.hospital import Hospital, generate, load

REPORT = Path("benchmarks/faults.md")
TEMPLATE = "nocturne_start"
NIGHTS = 2
BATCH = 6
TRIES = 12
CLIENTS = "SELECT FROM pg_stat_activity WHERE datname = %s AND client_port IS NOT NULL"
POLICY = """
extends: rules
name: faults
quality: {max_quarantined_share: 1, warn_quarantined_share: 1, max_failed_share: 1, max_unparsed_share: 1,
          max_without_mentions_share: 1, max_foreign_share: 1, warn_foreign_share: 1}
release: {approval: never, visible: nightly}
"""
Call = Callable[[], Any]


class GaveUp(Exception):
    """A unit failed at every try."""


class Deployment:
    """A server of its own with the hospital's first night in a template, and settings that point at it."""

    def __init__(self, home: Path, hospital: Hospital) -> None:
        self.hospital = hospital
        self.server = EmbeddedServer(home, options={"fsync": "off"})
        self.server.start()
        settings_file = provision(home)
        policy = home / "policy.yaml"
        policy.write_text(POLICY, encoding="utf-8")
        for name in [name for name in os.environ if name.startswith("NOCTURNE_")]:
            del os.environ[name]
        os.environ |= read_env(settings_file) | {"NOCTURNE_POLICY": str(policy)}
        Settings.model_config["env_file"] = None
        settings.cache_clear()
        self.load(hospital.first_night)
        self._as_superuser(f"ALTER DATABASE {DATABASE} RENAME TO {TEMPLATE}")

    def renew(self) -> None:
        """Put the database back to where no night has run."""
        self._as_superuser(f"DROP DATABASE IF EXISTS {DATABASE} WITH (FORCE)")
        self._as_superuser(f"CREATE DATABASE {DATABASE} TEMPLATE {TEMPLATE} OWNER {OWNER}")
        roles = ", ".join(ROLES.values())
        self._as_superuser(f"GRANT CONNECT, TEMPORARY ON DATABASE {DATABASE} TO {roles}")

    def add(self, database: str) -> None:
        """Make an empty database beside the product's, in which its roles may log in."""
        self._as_superuser(f"CREATE DATABASE {database} OWNER {OWNER}")

    def load(self, night: date) -> None:
        """Bring the warehouse to the end of a night."""
        with contextlib.redirect_stderr(io.StringIO()):
            load(settings().dsn("owner"), self.hospital, until=night)

    def end_state(self) -> State:
        """Read the end state, and whether the audit trail is intact."""
        owner = urlsplit(self.server.uri(DATABASE))
        state = read_end_state(urlunsplit(owner), settings().dsn("researcher"))
        with open_cursor("steward") as cursor:
            state["breaks of the audit trail"] = [(audit.find_first_break(cursor),)]
        return state

    def damage(self) -> None:
        """Lose a mention of a published document, as a defect would."""
        with psycopg2.connect(self.server.uri(DATABASE)) as link, link.cursor() as cursor:
            cursor.execute(
                "DELETE FROM deid.mention WHERE ctid = (SELECT min(m.ctid) FROM deid.mention AS m"
                " INNER JOIN deid.document AS d ON m.run_id = d.run_id AND m.document_id = d.document_id"
                " WHERE d.state = 'published')"
            )
        link.close()

    def wait_for_backends(self) -> None:
        """Return once the server has noticed the end of every process that worked on the database.

        A retry that comes sooner meets the locks of the dead, as `Kind.TWICE` tries on purpose; operators wait minutes.
        """
        link = psycopg2.connect(self.server.uri("postgres"))
        link.autocommit = True
        with link.cursor() as cursor:
            left = True
            while left:
                cursor.execute(CLIENTS, (DATABASE,))
                left = cursor.rowcount > 0
                time.sleep(0.02 * left)
        link.close()

    def _as_superuser(self, statement: str) -> None:
        link = psycopg2.connect(self.server.uri("postgres"))
        link.autocommit = True
        with link.cursor() as cursor:
            cursor.execute(sql.SQL(statement))
        link.close()


class Schedule:
    """Two nights with faults; without any, in this process, the reference that the others are compared with."""

    def __init__(self, deployment: Deployment, injector: Injector, seed: int | None, points: Counter[str]) -> None:
        self.deployment = deployment
        self.injector = injector
        self.points = points  # of each kind of unit, undisturbed
        self.units = 0
        self.struck: list[Kind] = []
        self.failures = 0
        self._undisturbed = seed is None
        self._random = random.Random(seed)  # noqa: S311 - a schedule of faults, no secret
        self._faults: dict[int, list[Fault]] = {}
        self._triggers = 0

    def draw(self, units: int) -> None:
        """Draw the faults over `units` units of work."""
        for _ in range(self._random.randint(2, 6)):
            fault = Fault(self._random.choice(list(Kind)), self._random.random())
            self._faults.setdefault(self._random.randrange(units), []).append(fault)

    def play(self) -> State:
        """Run the nights and return their end state.

        Raises:
            GaveUp: a unit failed at every try.
        """
        for number in range(NIGHTS):
            night = self.deployment.hospital.first_night + timedelta(days=number)
            if number:
                self.deployment.load(night)
            self._night(night)
            while self._ask_again():
                self._night(night)
        return self.deployment.end_state()

    def _night(self, night: date) -> None:
        begin = datetime.combine(night, datetime.min.time(), PARIS)
        interval = Interval(begin, begin + timedelta(days=1))
        trigger, batches = self._plan(interval)
        while (interrupted := self._process(batches)) is not None:
            trigger, batches = self._plan(interval)
            self._retried(interrupted)  # the run that was taken over works on
        self._do("stage", lambda: steps.stage(steps.run_of(trigger)), None)
        self._do("summarise", partial(actions.summarise, interval.key), None)
        self._do("publish", partial(actions.publish, interval.key), None)

    def _process(self, batches: Sequence[tuple[int, int]]) -> Call | None:
        """Take the batches through their steps; return the step before which the run was taken over, if it was."""
        for step in (steps.detect, steps.substitute, steps.validate):
            for run_id, batch_id in self._random.sample(batches, len(batches)):
                call = partial(step, run_id, batch_id)
                if self._do(step.__name__, call, run_id):
                    return call
        return None

    def _plan(self, interval: Interval) -> tuple[str, list[tuple[int, int]]]:
        self._triggers += 1
        trigger = f"night {self._triggers}"
        call = partial(
            steps.plan,
            interval_start=interval.start,
            interval_end=interval.end,
            triggered_by=trigger,
            batch_size=BATCH,
        )
        planned: list[Any] = []
        self._do("plan", call, None, planned)
        return trigger, [(batch["run_id"], batch["batch_id"]) for batch in planned]

    def _do(self, name: str, call: Call, run_id: int | None, result: list[Any] | None = None) -> bool:
        """Run a unit until it succeeds, with the faults drawn for it; return whether its run was taken over first."""
        due = self._faults.get(self.units, [])
        self.units += 1
        if self._undisturbed:
            self.injector.points = 0
            value = call()
            self.points[name] = max(self.points[name], self.injector.points)
            if result is not None:
                result += value
            return False
        for fault in due:
            if fault.kind is Kind.TAKEN_OVER:
                if run_id is not None:
                    self.struck.append(fault.kind)
                    runs.take_over(run_id, "faults", "drawn by a schedule", confirmed=True)
                    return True
            elif fault.kind is Kind.TWICE:
                self.struck.append(fault.kind)
                ended = [finish(one) for one in [start(self.injector, call, None, 0) for _ in range(2)]]
                self.failures += sum(bool(one.error) for one in ended)
            else:
                outcome = run_apart(self.injector, call, fault, self.points[name])
                self.failures += bool(outcome.error)
                if outcome.error:
                    self.deployment.wait_for_backends()
                if outcome.struck:
                    self.struck.append(fault.kind)
        value = self._retried(call)
        if result is not None:
            result += value
        return False

    def _retried(self, call: Call) -> Any:
        outcome: Outcome | None = None
        for _ in range(TRIES):
            outcome = run_apart(self.injector, call)
            if not outcome.error:
                return outcome.value
            self.failures += 1
            self.deployment.wait_for_backends()
        raise GaveUp(outcome.error if outcome else "")

    def _ask_again(self) -> bool:
        """Send back what was quarantined for lack of memory, as a person would; return whether there was any."""
        with open_cursor("steward") as cursor:
            found = [
                (one.run_id, one.document_id)
                for reason in (Reason.DETECTION_FAILED, Reason.SUBSTITUTION_FAILED)
                for one in list_quarantined(cursor, Filter(Standing.WAITING, reason, None, None, None))
            ]
            if found:
                record_choice(cursor, "faults", Choice.RETRY, found)
        return bool(found)


@dataclass(frozen=True)
class Result:
    """End of a schedule: what struck, and how its end state differs from the reference, if it does."""

    seed: int
    struck: list[Kind]
    failures: int
    seconds: float
    differs: dict[str, tuple[int, int]]

    @property
    def survived(self) -> bool:
        """True if the end state is the one without faults."""
        return not self.differs


def read_results(path: Path) -> list[Result]:
    """Return the results that an earlier call kept; none if there is no file."""
    if not path.exists():
        return []
    kept = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [Result(**{**one, "struck": [*map(Kind, one["struck"])]}) for one in kept]


def run_schedules(
    deployment: Deployment, seeds: Sequence[int], *, plant: bool = False, minutes: float = float("inf")
) -> Iterator[Result]:
    """Play the reference, then a schedule per seed, as many as begin within `minutes`; yield each result."""
    deadline = time.monotonic() + 60 * minutes
    injector = Injector(deployment.server)
    install(injector)
    points: Counter[str] = Counter()
    deployment.renew()
    reference = Schedule(deployment, injector, None, points)
    expected = reference.play()
    for seed in seeds:
        began = time.monotonic()
        if began > deadline:
            break
        deployment.renew()
        schedule = Schedule(deployment, injector, seed, points)
        schedule.draw(reference.units)
        try:
            found = schedule.play()
            if plant:
                deployment.damage()
                found = deployment.end_state()
            differs = differences(expected, found)
        except GaveUp as gave_up:
            differs = {f"gave up: {gave_up}": (0, 0)}
        result = Result(seed, schedule.struck, schedule.failures, time.monotonic() - began, differs)
        sys.stderr.write(f"seed {seed}: {len(result.struck)} faults, {result.seconds:.1f} s, {differs or 'same'}\n")
        yield result


def written(results: Sequence[Result], documents: int) -> str:
    """Return the page of benchmarks/faults.md."""
    struck = Counter(kind for result in results for kind in result.struck)
    survived = sum(result.survived for result in results)
    seconds = sum(result.seconds for result in results)
    lines = [
        "# Nights under faults",
        "",
        f"Written by `make faults`: {platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}.",
        "",
        f"{len(results)} schedules of seeds {results[0].seed} to {results[-1].seed}, each over {NIGHTS} nights of a "
        f"synthetic hospital of {documents} documents, in {seconds / len(results):.1f} s on average: "
        f"{struck.total()} faults struck, {sum(result.failures for result in results)} steps failed and were tried "
        f"again. **{survived} of {len(results)} schedules ended in the state of the nights without faults**: the same "
        "rows of the research schema, states, mentions, verdicts, ε, quarantine and withdrawals, no text left, the "
        "audit trail intact.",
        "",
        "| Fault | struck |",
        "|---|---:|",
        *(f"| {kind} | {struck[kind]} |" for kind in Kind),
    ]
    lost = [result for result in results if not result.survived]
    if lost:
        lines += ["", "| Seed | differs (rows missing, rows too many) |", "|---:|---|"]
        lines += [f"| {result.seed} | {result.differs} |" for result in lost]
    return "\n".join(lines) + "\n"


def small_hospital() -> Hospital:
    """Return a hospital of some twenty documents without the huge one, which only takes time."""
    made = generate(7, patients=4, documents=26, nights=NIGHTS)
    return replace(made, documents=tuple(one for one in made.documents if one.fault != "huge"))


def main() -> int:
    """Play the schedules; exit status 1 if one ended in another state."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--schedules", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1, help="of the first schedule")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no schedule after these")
    parser.add_argument("--plant", action="store_true", help="damage each end state")
    parser.add_argument("--write", action="store_true", help=f"write {REPORT}; else print it")
    parser.add_argument("--json", action="store_true", help="print one object per schedule instead")
    parser.add_argument("--kept", type=Path, default=Path(os.devnull), help="JSON lines of results, read and added to")
    asked = parser.parse_args()
    hospital = small_hospital()
    results = read_results(asked.kept)
    played = {one.seed for one in results}
    seeds = [seed for seed in range(asked.seed, asked.seed + asked.schedules) if seed not in played]
    home = Path(tempfile.mkdtemp(prefix="nocturne-faults-"))
    deployment = Deployment(home, hospital)
    try:
        for result in run_schedules(deployment, seeds, plant=asked.plant, minutes=asked.minutes):
            results.append(result)
            with asked.kept.open("a", encoding="utf-8") as kept:
                kept.write(json.dumps(asdict(result)) + "\n")
    finally:
        deployment.server.stop(immediate=True)
        shutil.rmtree(home)
    if asked.json:
        for one in results:
            print(json.dumps(asdict(one)))
    elif asked.write:
        REPORT.write_text(written(results, len(hospital.documents)), encoding="utf-8")
    else:
        print(written(results, len(hospital.documents)), end="")
    return 0 if all(result.survived for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())

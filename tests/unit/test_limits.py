"""A document that exceeds time or memory is refused alone; the rest of its batch comes out as without it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from errno import ENOSPC

import pytest

from deid.config.policy import AnnotatorChoice, Policy, load
from deid.config.settings import settings
from deid.detection import Detector
from deid.domain.document import Document, Patient
from deid.domain.errors import DiskFull, DocumentRefused, NocturneError, PolicyError, Reason, ReviewRefused
from deid.domain.limits import Limits
from deid.domain.outcomes import Deidentified, Detected, Incoming, Refused
from deid.isolation import process_within
from deid.pipeline import check, deidentify, detect, open_documents, substitute
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from tests import ROOT
from tests.unit import traps

LETTER = (
    "Madame Maëlys VASSEROT, née le 14/05/1961, demeurant 12 rue des Lilas à Dijon, a été hospitalisée du 25/02/2026 "
    "au 02/03/2026. Elle est suivie par le Dr Yann TREGUIER. Elle sort avec un traitement par bisoprolol 2,5 mg."
)
SHORT = Limits(seconds=3, megabytes=512, characters=100_000)
BYTES = 100_000
pytestmark = pytest.mark.timeout(300)  # a process that is started apart has 120 s of its own


def rules(trap: bool = True) -> Policy:
    """Return the policy of rules alone, which needs no model, with the trap."""
    chosen = load(ROOT / "deid/config/policies/rules.yaml")
    annotators = (*chosen.detection.annotators, *([AnnotatorChoice(name="tests.unit.traps:Trap")] if trap else []))
    return chosen.model_copy(update={"detection": chosen.detection.model_copy(update={"annotators": annotators})})


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(rules())


@pytest.fixture(scope="module")
def substitutor() -> Substitutor:
    tables = packaged_tables()
    return Substitutor(rules(), bytes(range(32)), tables.communes, tables.names)


def incoming(name: str, text: str = LETTER, patient: str = "p1") -> Incoming:
    known = Patient(key=patient, last_name="VASSEROT", first_names=("Maëlys",), birth_date=date(1961, 5, 14))
    return Incoming(Document(name, text, known, date(2026, 3, 2), "Lettre"), title="Compte rendu")


def batch(trap: str) -> list[Incoming]:
    """Return documents of one patient, the second of which springs a trap, and of others."""
    return [
        incoming("d1"),
        incoming("trap", f"{LETTER} {trap}"),
        incoming("d2", LETTER + "\nVue avec Mme Vasserot ce jour."),
        incoming("d3", LETTER, "p2"),
        replace(incoming("page", f"<html><body><p>{LETTER}</p></body></html>", "p3"), format="text/html"),
    ]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trap", "isolated"),
    [(trap, isolated) for trap in (traps.LOOP, traps.GROW) for isolated in (False, True)]
    + [(traps.LOCK, True), (traps.CRASH, True)],  # these end a process that is not isolated
)
def test_a_costly_document_is_refused_and_the_others_come_out_the_same(
    detector: Detector, trap: str, isolated: bool
) -> None:
    opened = open_documents(batch(trap), max_bytes=BYTES)
    sound = detect([*opened[:1], *opened[2:]], detector)
    outcomes = detect(opened, detector, limits=replace(SHORT, isolated=isolated))
    assert outcomes[1] == Refused("trap", (Reason.TOO_COSTLY,))
    assert all(isinstance(one, Detected) for one in sound)
    assert [*outcomes[:1], *outcomes[2:]] == sound


def test_the_whole_flow_goes_on_after_a_costly_document(detector: Detector, substitutor: Substitutor) -> None:
    documents = batch(traps.HUGE)
    sound = deidentify([*documents[:1], *documents[2:]], detector, substitutor, max_bytes=BYTES)
    outcomes = deidentify(documents, detector, substitutor, max_bytes=BYTES)
    assert outcomes[1] == Refused("trap", (Reason.TOO_COSTLY,))
    assert all(isinstance(one, Deidentified) for one in sound)
    assert [*outcomes[:1], *outcomes[2:]] == sound


def test_a_call_that_never_returns_ends_the_process_that_is_not_isolated() -> None:
    program = (
        "from deid import isolation; isolation._GRACE = 1.0\n"
        "from tests.unit.test_limits import *\n"
        "detect(open_documents(batch(traps.LOCK), max_bytes=BYTES), Detector(rules()), limits=SHORT)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, timeout=120, check=False
    )
    assert done.returncode == 1
    assert "annotate" in done.stderr  # where it stood
    assert "VASSEROT" not in done.stderr


def test_each_step_has_the_limits(detector: Detector, substitutor: Substitutor) -> None:
    """Each of the nightly steps gives, in a process of its own, what it gives here."""
    limits = Limits(isolated=True)
    documents = [incoming("d1"), incoming("d2", LETTER, "p2")]
    opened = open_documents(documents, max_bytes=BYTES, limits=limits)
    assert opened == open_documents(documents, max_bytes=BYTES)
    detected = detect(opened, detector, limits=limits)
    assert detected == detect(opened, detector)
    candidates = substitute(detected, substitutor, limits=limits)
    assert candidates == substitute(detected, substitutor)
    assert check(candidates, limits=limits) == check(candidates)


ERRORS = {
    "policy": PolicyError("no such annotator.", "Install it."),
    "disk": OSError(ENOSPC, "VASSEROT"),
    "document": DocumentRefused("d1", Reason.SCANNED, "2 pages"),
    "review": ReviewRefused("later", "it is closed.", "Open another."),
    "unforeseen": KeyError("VASSEROT"),
}


def shouting(items: list[str]) -> list[str]:
    """Return texts in capitals; one of them never ends, others name an error that is raised."""
    for item in items:
        if item == "never":
            time.sleep(600)
        if item in ERRORS:
            raise ERRORS[item]
    return [item.upper() for item in items]


def shout(items: list[str], limits: Limits) -> list[str]:
    return process_within(limits, shouting, items, length=len, refuse=lambda item: f"refused {item}", sample="a")


@pytest.mark.parametrize("isolated", [False, True])
def test_an_error_of_the_deployment_stops_the_batch_in_either_process(isolated: bool) -> None:
    with pytest.raises(PolicyError, match=r"^no such annotator\. Install it\.$") as refused:
        shout(["a", "policy"], replace(SHORT, isolated=isolated))
    assert (refused.value.message, refused.value.remedy) == ("no such annotator.", "Install it.")


@pytest.mark.parametrize("name", ["document", "review"])
def test_an_error_keeps_its_class_and_its_facts_from_the_other_process(name: str) -> None:
    with pytest.raises(type(ERRORS[name])) as refused:
        shout([name], replace(SHORT, isolated=True))
    assert (str(refused.value), vars(refused.value)) == (str(ERRORS[name]), vars(ERRORS[name]))


def test_a_full_disk_of_the_other_process_is_worth_a_retry() -> None:
    with pytest.raises(DiskFull, match="no room left") as refused:
        shout(["disk"], replace(SHORT, isolated=True))
    assert "VASSEROT" not in str(refused.value)


def test_an_unforeseen_error_of_the_other_process_is_told_by_kind_and_place() -> None:
    with pytest.raises(NocturneError, match=r"process of its own: KeyError at test_limits\.py:\d+\.") as refused:
        shout(["unforeseen"], replace(SHORT, isolated=True))
    assert "VASSEROT" not in str(refused.value)


def test_a_long_batch_is_processed_in_portions() -> None:
    calls: list[list[str]] = []

    def record(items: list[str]) -> list[str]:
        calls.append(list(items))
        return [item.upper() for item in items]

    items = ["a1", "b1", "a2", "c1", "b2"]
    limits = replace(SHORT, portion=4)
    outcomes = process_within(limits, record, items, length=len, refuse=str, sample="a")
    assert outcomes == [item.upper() for item in items]
    assert calls == [["a1", "b1"], ["a2", "c1"], ["b2"]]


@pytest.fixture
def alarms() -> Iterator[list[int]]:
    """Signals of a timer that the caller of a step set, as Airflow does for `execution_timeout`."""
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: rung.append(number))
    yield rung
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_a_timer_of_the_caller_goes_on(alarms: list[int]) -> None:
    signal.setitimer(signal.ITIMER_REAL, 2.5)
    assert shout(["a", "never", "b"], Limits(seconds=1)) == ["A", "refused never", "B"]
    deadline = time.monotonic() + 5
    while not alarms and time.monotonic() < deadline:
        time.sleep(0.05)
    assert alarms


def test_limits_come_from_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOCTURNE_MAX_DOCUMENT_SECONDS", "7.5")
    monkeypatch.setenv("NOCTURNE_MAX_DOCUMENT_MEMORY_MB", "300")
    monkeypatch.setenv("NOCTURNE_MAX_DOCUMENT_BYTES", "5000")
    settings.cache_clear()
    assert settings().limits() == Limits(7.5, 300, 5000)
    assert settings().limits(isolated=True).isolated
    monkeypatch.setenv("NOCTURNE_ISOLATE", "true")
    settings.cache_clear()
    assert settings().limits().isolated


def test_the_command_line_has_the_limits(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("limits")
    (folder / "policy.yaml").write_text(
        "extends: rules\nname: trapped\ndetection:\n  annotators:\n    - {name: patterns}\n    - {name: identity}\n"
        "    - {name: 'tests.unit.traps:Trap'}\n",
        encoding="utf-8",
    )
    lines = (f'{{"id": "{one.document.id}", "text": "{one.document.text}"}}\n' for one in batch(traps.LOOP)[:2])
    (folder / "in.jsonl").write_text("".join(lines), encoding="utf-8")
    options = [str(folder / "in.jsonl"), "--policy", str(folder / "policy.yaml")]
    done = subprocess.run(
        [sys.executable, "-m", "deid", "detect", *options],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=200,
        check=False,
        env={**os.environ, "NOCTURNE_MAX_DOCUMENT_SECONDS": "2"},
    )
    assert [line[:12] for line in done.stdout.splitlines()] == ['{"id": "d1",']
    assert "document trap : Document trop coûteux à traiter [too_costly]" in done.stderr
    assert done.returncode == 1

"""A batch from source to proven text, on the real parts; parts that break are given, never trusted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date

import pytest

from deid.config.policy import DEFAULT, load
from deid.detection import Detector
from deid.domain.document import Document, Mention, Patient, Substitution
from deid.domain.errors import DocumentRefused, Reason, SettingsError
from deid.domain.labels import Label
from deid.domain.outcomes import Deidentified, Detected, Incoming, Opened, Refused
from deid.formats import FileRules, SegmentedSource, open_document
from deid.formats.source import Replacement
from deid.french.check_digits import nir_holds, nir_key
from deid.pipeline import deidentify, detect, substitute
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor

PATIENT = Patient(key="p1", last_name="VASSEROT", first_names=("Maëlys",), sex="F", birth_date=date(1961, 5, 14))
LETTER = (
    "Madame Maëlys VASSEROT, née le 14/05/1961, demeurant 12 rue des Lilas à Dijon, a été hospitalisée du 25/02/2026 "
    "au 02/03/2026. Elle est suivie par le Dr Yann TREGUIER.\r\nElle sort avec un traitement par bisoprolol 2,5 mg."
)
PAGE = f"<html><body><h1>Lettre</h1><p>{LETTER.replace('VASSEROT', 'VASSE<b>ROT</b>')}</p></body></html>"
LIMIT = 100_000


@pytest.fixture(scope="module")
def detector() -> Detector:
    return Detector(load())


@pytest.fixture(scope="module")
def rules() -> Detector:
    """A detector without models, for documents that go to another process: it would load them there each time."""
    return Detector(load(DEFAULT.with_name("rules.yaml")))


@pytest.fixture(scope="module")
def substitutor() -> Substitutor:
    return Substitutor(load(), bytes(range(32)), packaged_tables().communes)


def incoming(document_id: str, text: str = LETTER, format: str | None = None, patient: Patient = PATIENT) -> Incoming:
    return Incoming(Document(document_id, text, patient, date(2026, 3, 2), "Lettre"), format)


def test_offsets_of_a_plain_text_are_the_callers(detector: Detector, substitutor: Substitutor) -> None:
    (outcome,) = deidentify([incoming("d1")], detector, substitutor, max_bytes=LIMIT)
    assert isinstance(outcome, Deidentified)
    assert outcome.candidate.markup is None
    found = {LETTER[mention.start : mention.end] for mention in outcome.candidate.mentions}
    assert {"14/05/1961", "02/03/2026"} <= found
    text, position = "", 0
    for drawn, (start, end) in zip(
        outcome.candidate.substitution.surrogates, outcome.candidate.substitution.spans, strict=True
    ):
        text += LETTER[position : drawn.mention.start]
        assert start == len(text)
        text += drawn.text
        assert end == len(text)
        position = drawn.mention.end
    assert outcome.candidate.substitution.text == text + LETTER[position:]
    assert "VASSEROT" not in outcome.candidate.substitution.text
    assert "bisoprolol 2,5 mg" in outcome.candidate.substitution.text


def test_a_page_comes_back_clean_with_the_same_surrogates(detector: Detector, substitutor: Substitutor) -> None:
    (outcome,) = deidentify([incoming("d1", PAGE, "text/html")], detector, substitutor, max_bytes=LIMIT)
    assert isinstance(outcome, Deidentified)
    assert outcome.candidate.markup is not None
    for original in ("VASSE", "ROT<", "Maëlys", "TREGUIER", "1961"):
        assert original not in outcome.candidate.markup
    name = next(
        drawn.text for drawn in outcome.candidate.substitution.surrogates if drawn.mention.label is Label.PATIENT
    )
    assert name in outcome.candidate.markup
    assert "<h1>Lettre</h1>" in outcome.candidate.markup


def test_every_document_has_one_outcome_in_order(detector: Detector, substitutor: Substitutor) -> None:
    batch = [
        incoming("empty", " \n"),
        incoming("good"),
        incoming("cut", "<html><body><p>" + LETTER, "text/html"),
        incoming("pdf", "%PDF", "application/pdf"),
        incoming("large", LETTER * 1000),
        incoming("nul", LETTER + "\0"),
        incoming("half", LETTER + "\ud800"),
        incoming("halfpage", f"<p>{LETTER}\ud800", "text/html"),
        incoming("english", "The patient was admitted to the emergency room with chest pain and fever. " * 5),
        incoming("plain", LETTER, "text/plain"),
    ]
    outcomes = deidentify(batch, detector, substitutor, max_bytes=LIMIT)
    assert [item.document_id for item in outcomes] == [item.document.id for item in batch]
    reasons = {item.document_id: item.reasons[0] for item in outcomes if isinstance(item, Refused)}
    assert reasons == {
        "empty": Reason.EMPTY,
        "cut": Reason.MALFORMED,
        "pdf": Reason.UNSUPPORTED_FORMAT,
        "large": Reason.TOO_LARGE,
        "nul": Reason.UNDECODABLE,
        "half": Reason.UNDECODABLE,
        "halfpage": Reason.UNDECODABLE,
        "english": Reason.NOT_FRENCH,
    }


def test_the_order_of_a_batch_changes_nothing(detector: Detector, substitutor: Substitutor) -> None:
    other = Patient(key="p2", last_name="BROUSTET", first_names=("Célestin",))
    batch = [incoming("d1"), incoming("d2", LETTER.replace("VASSEROT", "BROUSTET"), patient=other)]
    forth = deidentify(batch, detector, substitutor, max_bytes=LIMIT)
    back = deidentify(batch[::-1], detector, substitutor, max_bytes=LIMIT)
    assert forth == back[::-1]


class Blind:
    """Finds nothing."""

    def detect(self, documents: Iterable[Document]) -> list[tuple[Mention, ...]]:
        return [() for _ in documents]

    def refusal(self, _document: Document) -> Reason | None:
        return None


class Fragile:
    """Breaks on one document, with a message that quotes it."""

    def __init__(self, sound: Detector, error: Exception) -> None:
        self.sound, self.error = sound, error

    def refusal(self, document: Document) -> Reason | None:
        return self.sound.refusal(document)

    def detect(self, documents: list[Document]) -> list[tuple[Mention, ...]]:
        if any(document.id == "odd" for document in documents):
            raise self.error
        return self.sound.detect(documents)


class Breaking:
    """Cannot draw."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def substitute(self, *_: object) -> Substitution:
        raise self.error


def test_a_text_in_which_nothing_was_found_is_not_let_through(substitutor: Substitutor) -> None:
    (outcome,) = deidentify([incoming("d1")], Blind(), substitutor, max_bytes=LIMIT)
    assert isinstance(outcome, Refused)
    assert Reason.RESIDUAL_IDENTITY in outcome.reasons


@pytest.mark.parametrize(
    ("error", "reason"), [(ValueError(LETTER), Reason.DETECTION_FAILED), (MemoryError(), Reason.TOO_COSTLY)]
)
def test_a_document_that_breaks_detection_does_not_take_the_others_with_it(
    rules: Detector, substitutor: Substitutor, error: Exception, reason: Reason, caplog: pytest.LogCaptureFixture
) -> None:
    batch = [incoming("d1"), incoming("odd"), incoming("d2")]
    outcomes = deidentify(batch, Fragile(rules, error), substitutor, max_bytes=LIMIT)
    assert [type(item) for item in outcomes] == [Deidentified, Refused, Deidentified]
    assert outcomes[1] == Refused("odd", (reason,))
    assert "VASSEROT" not in caplog.text


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (DocumentRefused("d1", Reason.BUDGET_EXCEEDED), Reason.BUDGET_EXCEEDED),
        (KeyError("VASSEROT"), Reason.SUBSTITUTION_FAILED),
        (MemoryError(), Reason.TOO_COSTLY),
    ],
)
def test_a_document_that_cannot_be_drawn_is_refused(
    rules: Detector, error: Exception, reason: Reason, caplog: pytest.LogCaptureFixture
) -> None:
    (outcome,) = deidentify([incoming("d1")], rules, Breaking(error), max_bytes=LIMIT)
    assert isinstance(outcome, Refused)
    assert outcome.reasons == (reason,)
    assert "VASSEROT" not in caplog.text


# People whom a warehouse knows badly: name and first names of the warehouse, and what the letter calls them.
BADLY_KNOWN = {
    "one name": (Patient(key="b1", last_name="VASSEROT", sex="F"), "VASSEROT"),
    "five names": (
        Patient(key="b2", last_name="VASSEROT", first_names=("Anne", "Lise", "Zoé", "Inès", "Ève"), sex="F"),
        "Anne Lise Zoé Inès Ève VASSEROT",
    ),
    "words": (Patient(key="b3", last_name="PETIT", first_names=("Rose",), sex="F"), "Rose PETIT"),
    "a number": (Patient(key="b4", last_name="12345", first_names=("Maëlys",), sex="F"), "Maëlys VASSEROT"),
    "empty": (Patient(key="b5", last_name="", first_names=("",)), "Maëlys VASSEROT"),
    "sex unknown": (Patient(key="b6", last_name="VASSEROT", first_names=("Camille",)), "Camille VASSEROT"),
    "other sex": (Patient(key="b7", last_name="VASSEROT", first_names=("Camille",), sex="M"), "Camille VASSEROT"),
    "one letter": (Patient(key="b8", last_name="Y", first_names=("Sokha",), sex="F"), "Sokha Y"),
    "particles": (Patient(key="b9", last_name="NGUYEN THI", first_names=("Lan",), sex="F"), "NGUYEN THI Lan"),
}


def test_people_whom_the_warehouse_knows_badly_are_replaced(detector: Detector, substitutor: Substitutor) -> None:
    batch = [
        incoming(known, LETTER.replace("Maëlys VASSEROT", called) + f"\r\nMme {called} le sait.", patient=patient)
        for known, (patient, called) in BADLY_KNOWN.items()
    ]
    for outcome in deidentify(batch, detector, substitutor, max_bytes=LIMIT):
        assert isinstance(outcome, Deidentified), outcome.document_id
        _, called = BADLY_KNOWN[outcome.document_id]
        drawn = outcome.candidate.substitution
        opened, closed = (re.findall(rf"{title} (.+?)(?:, née| le sait)", drawn.text) for title in ("Madame", "Mme"))
        assert opened == closed, outcome.document_id
        assert not set(called.split()) & set(opened[0].split()), outcome.document_id
        assert "bisoprolol 2,5 mg" in drawn.text


def test_a_nir_among_the_identifiers_stays_one(detector: Detector, substitutor: Substitutor) -> None:
    number = f"2610521231064{nir_key('2610521231064')}"
    patient = replace(PATIENT, identifiers=(number, "RS-5520-18"))
    text = f"{LETTER} Numéro {number}, dossier RS-5520-18."
    (outcome,) = deidentify([incoming("d1", text, patient=patient)], detector, substitutor, max_bytes=LIMIT)
    assert isinstance(outcome, Deidentified)
    drawn = {one.mention.label: one.text for one in outcome.candidate.substitution.surrogates}
    assert nir_holds(drawn[Label.NIR])
    assert drawn[Label.NIR] != number
    born = re.search(r"née le \d\d/(\d\d)/\d\d(\d\d)", outcome.candidate.substitution.text)
    assert born is not None
    assert drawn[Label.NIR][:5] == f"2{born[2]}{born[1]}"


def test_nothing_in_gives_nothing_out(detector: Detector, substitutor: Substitutor) -> None:
    assert detect([], detector) == []
    assert deidentify([], detector, substitutor, max_bytes=LIMIT) == []


def test_an_error_of_the_deployment_stops_the_batch(detector: Detector) -> None:
    with pytest.raises(SettingsError):
        deidentify([incoming("d1"), incoming("d2")], detector, Breaking(SettingsError("no secret.")), max_bytes=LIMIT)


def test_a_title_is_published_only_if_it_identifies_nobody(detector: Detector, substitutor: Substitutor) -> None:
    titles = {"none": None, "plain": "Compte rendu de consultation", "named": "CR VASSEROT Maëlys"}
    batch = [replace(incoming(name), title=title) for name, title in titles.items()]
    outcomes = deidentify(batch, detector, substitutor, max_bytes=LIMIT)
    published = {one.document_id: one.candidate.title for one in outcomes if isinstance(one, Deidentified)}
    assert published == {"none": None, "plain": "Compte rendu de consultation", "named": None}


class Foreign(Blind):
    """Refuses every document for its language."""

    def refusal(self, _document: Document) -> Reason | None:
        return Reason.NOT_FRENCH


def test_a_person_may_let_a_foreign_text_be_searched() -> None:
    opened = [Opened(Document(name, LETTER, PATIENT)) for name in ("d1", "d2")]
    refused, searched = detect(opened, Foreign(), admitted={"d2"})
    assert refused == Refused("d1", (Reason.NOT_FRENCH,))
    assert isinstance(searched, Detected)


MESSAGE = (
    "MSH|^~\\&|APP|CHU|DPI|CHU|20260302||ORU^R01|M1|P|2.5|||||FRA|UNICODE UTF-8\r"
    "PID|1||8001234567^^^CHU^PI||VASSEROT^Maëlys||19610514|F\rOBX|1|TX|1^CR||Mme VASSEROT va bien.||||||F\r"
).encode()


class Forgetful(SegmentedSource):
    """A source whose writer leaves everything as it was."""

    def rewrite(self, _replacements: Sequence[Replacement]) -> bytes:
        return self.raw


def test_a_file_that_still_holds_what_was_replaced_is_refused(substitutor: Substitutor) -> None:
    item = Incoming(Document("d1", ""), "a.hl7", MESSAGE)
    opened = open_document(item, max_bytes=LIMIT, rules=FileRules())
    assert isinstance(opened, Opened)
    source = opened.markup
    assert isinstance(source, SegmentedSource)
    assert opened.document.patient.last_name == "VASSEROT"
    forgetful = Forgetful(source.text, source.segments, source.raw, source.parse, source.format)
    good, bad = substitute(
        [Detected(opened.document, one, opened.told, None, False) for one in (source, forgetful)], substitutor
    )
    assert not isinstance(good, Refused)
    assert good.file is not None
    assert b"VASSEROT^" not in good.file.content
    assert isinstance(bad, Refused)
    assert bad.reasons == (Reason.SUBSTITUTION_FAILED,)
    assert "VASSEROT" not in bad.detail

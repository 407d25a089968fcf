"""Exports of a release: the same numbers in every form, without patient data."""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from typing import Any

import pytest
from pypdf import PdfReader

from deid.config.settings import settings
from deid.database.connection import connect
from deid.release import actions
from deid.reports import Figures, gather
from deid.reviews.lifecycle import SamplePlan, open_review
from deid.stewardship.exports import FORMS, export_figures, gather_release
from tests.database.release.ledger import CANARY, Ledger

NIGHT = "2026-10-03"


@pytest.fixture
def figures(deployed: Any) -> Figures:
    """The second of two nights, with quarantine and a warning."""
    ledger = Ledger(deployed)
    ledger.night("2026-10-02", 90, policy="aa11bb22cc33dd44")
    actions.summarise("2026-10-02")
    actions.publish("2026-10-02", {"chosen": "approve", "decided_by": "c.morel"})
    ledger.night(NIGHT, 120, quarantined=15, warned=50)
    actions.summarise(NIGHT)
    return gather(NIGHT)


def printed(made: bytes) -> str:
    """The text of a PDF, spaces made even."""
    pages = PdfReader(io.BytesIO(made)).pages
    return re.sub(r"\s+", " ", " ".join(page.extract_text() for page in pages))


def unzipped(made: bytes, delimiter: str) -> dict[str, list[list[str]]]:
    """The tables of an export by name."""
    with zipfile.ZipFile(io.BytesIO(made)) as archive:
        return {
            name.removeprefix(f"{NIGHT}/").removesuffix(".csv"): list(
                csv.reader(io.StringIO(archive.read(name).decode("utf-8-sig")), delimiter=delimiter)
            )
            for name in archive.namelist()
        }


def test_every_form_holds_the_same_numbers_and_no_patient(figures: Figures) -> None:
    made = {form: export_figures(figures, form, "fr") for form in FORMS}
    assert json.loads(made["json"]) == figures
    tables = unzipped(made["csv"], ";")
    headline = dict(tables["headline"][1:])
    assert (headline["seen"], headline["quarantined"]) == ("124", "15")
    assert sum(int(row[2]) for row in tables["mentions"][1:]) == figures["sides"]["proposed"]["mentions"]
    assert sum(int(row[2]) for row in tables["quarantine"][1:]) == 15
    text = printed(made["pdf"])
    assert "Nuit du samedi 3 octobre 2026" in text
    assert "En attente de décision" in text
    assert "La part de documents en quarantaine reste sous le seuil d'alerte." in text
    assert re.search(r"Total\b", text)
    assert "ε" in text
    everything = [text, made["html"].decode(), made["json"].decode(), json.dumps(tables)]
    for held in everything:
        assert CANARY not in held
        assert not re.search(r"\bD2026-10-03-\d+|\bP\d+\b", held), "an id of a document or patient"


def test_english_readers_get_english(figures: Figures) -> None:
    text = printed(export_figures(figures, "pdf", "en"))
    assert "Night of Saturday 3 October 2026" in text
    assert "octobre" not in text
    tables = unzipped(export_figures(figures, "csv", "en"), ",")
    means = [float(row[4]) for row in tables["epsilon"][1:]]
    assert means == pytest.approx([row["mean"] for row in figures["epsilon"]["mechanisms"]], rel=1e-9)


def test_the_same_figures_give_the_same_bytes(figures: Figures) -> None:
    for form in FORMS:
        assert export_figures(figures, form, "fr") == export_figures(figures, form, "fr")


def test_a_document_type_is_no_formula_and_no_markup(figures: Figures) -> None:
    counts = figures["mentions"]["counts"]
    counts['=HYPERLINK("x")'] = counts.pop("CRH")
    figures["types"][0]["document_type"] = "<b>&</i>"
    kinds = {row[1] for row in unzipped(export_figures(figures, "csv", "en"), ",")["mentions"]}
    assert '\'=HYPERLINK("x")' in kinds
    figures["mentions"]["counts"]["<b>&</i>"] = {"DATE": 3}
    assert "<b>&</i>" in printed(export_figures(figures, "pdf", "fr")).replace(" ", ""), "a narrow cell parts it"


def test_an_empty_night_can_be_exported(deployed: Any) -> None:
    Ledger(deployed).night(NIGHT, 0)
    empty = gather(NIGHT)
    for form in FORMS:
        assert export_figures(empty, form, "fr")


def test_what_people_read_is_in_the_exports(deployed: Any) -> None:
    Ledger(deployed).night(NIGHT, 40)
    actions.summarise(NIGHT)
    assert gather_release(NIGHT)["review"] is None
    with connect(settings().dsn("steward")) as link, link.cursor() as cursor:
        review = open_review(cursor, NIGHT, SamplePlan(0.1, 0.95, 1), "intendante")
    found = gather_release(NIGHT)
    assert (found["review"]["review_id"], found["review"]["read"], found["review"]["words"]) == (review, 0, None)
    assert "Rien n'est encore lu" in printed(export_figures(found, "pdf", "fr"))
    found["review"] |= {"finished": 3, "read": 3, "words": {"fr": "au plus 2 sur 3", "en": "at most 2 in 3"}}
    assert "Documents that reveal an identity: at most 2 in 3." in printed(export_figures(found, "pdf", "en"))
    (names, values) = unzipped(export_figures(found, "csv", "fr"), ";")["review"]
    assert dict(zip(names, values, strict=True))["read"] == "3"
    assert json.loads(export_figures(found, "json", "fr"))["review"]["finished"] == 3

"""Row-level checks by Great Expectations: each fails on its defect and passes without."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deid.domain.document import Patient
from deid.domain.errors import Reason
from deid.domain.outcomes import Candidate, Severity
from deid.quality import CHECKS, batch_results, measure, validate_batch
from deid.quality.checks import COUNTED
from deid.quality.judging import judge
from tests.unit.quality.documents import CLEAN, PATIENT, checked

ENGLISH = """The patient was seen in the clinic and she is well. There was no pain at all, and the heart was normal.
She had an ultrasound of the abdomen which was not remarkable. It is planned that she be seen again by the team."""


def planted(text: str) -> Callable[[], Candidate]:
    return lambda: checked(CLEAN + text)


def swapped(old: str, new: str) -> Callable[[], Candidate]:
    assert old in CLEAN
    return lambda: checked(CLEAN.replace(old, new))


def _unmeasurable() -> Candidate:
    broken = checked()
    return dataclasses.replace(broken, document=dataclasses.replace(broken.document, patient=None))


def _all_drawn_kept() -> Candidate:
    text = CLEAN.replace("=>02/03/1941", "=>07/11/1938").replace("=>87150", "=>87210").replace("=>ORADOUR", "=>DINSAC")
    text = text.replace("=>82 ans", "=>84 ans").replace("=>9 avril 2023", "=>17 mars 2023")
    return checked(text.replace("=>30 avril", "=>25 avril"))


CHANGED = "Hémoglobine [[ID|12,4 g/dL=>83,1 x/kB]] ce jour. "

# One failing example per check.
FAILING: dict[str, Callable[[], Candidate]] = {
    "output_empty": lambda: checked(text="  \n", spans=()),
    "unmeasured": _unmeasurable,
    "language_foreign": lambda: checked(ENGLISH + " [[PATIENT|Anaïs=>Odette]]"),
    "text_unchanged": lambda: checked("Nom :\nRien à signaler ce jour."),
    "identity_name": planted("Anaïs va bien."),
    "identity_number": planted("Dossier 000-348-12-97."),
    "identity_birth_date": planted("Née le sept novembre mille neuf cent trente-huit."),
    "identity_contact": planted("Appeler le 06.39.98.44.17"),
    "identity_address": planted("Domicile : rue des tilleuls."),
    "identity_fuzzy": planted("Madame Dubreulih est sortie."),
    "residual_nir": planted("N° 1 85 05 78 006 084 91"),
    "residual_phone": planted("Fax 05 36 49 12 31"),
    "residual_email": planted("secretariat@ch-exemple.fr"),
    "residual_url": planted("voir www.ch-exemple.fr/rdv"),
    "residual_iban": planted("FR76 3000 6000 0112 3456 7890 189"),
    "residual_date": planted("Contrôle le 3 juin 2023."),
    "residual_digits": planted("Dossier 8841207"),
    "residual_encoded": planted("Jeton TW1lIEphY3F1ZWxpbmUgQmF5bGU="),
    "residual_script": planted("Signé Бернар."),
    "order_overridden": planted("Mme \u202eTNOPUD\u202c."),
    "original_kept": swapped("=>Barthas", "=>Ionescu"),
    "drawn_all_kept": _all_drawn_kept,
    "unparsed_unmasked": swapped("=>82 ans", "=>84 ans!"),
    "dates_impossible": swapped("=>9 avril 2023", "=>31 avril 2023"),
    "dates_disordered": swapped("=>9 avril 2023", "=>9 mai 2023"),
    "spans_broken": lambda: checked(spans=((0, 3),) * 14),
    "mentions_lost": lambda: checked(mentions=checked().mentions[:-1]),
    "context_altered": lambda: checked(source=checked().document.text.replace("douleur", "fièvre.")),
    "lines_changed": lambda: checked(text=checked().substitution.text + "\n"),
    "length_ratio": lambda: checked(text=checked().substitution.text * 4),
    "markup_differs": lambda: checked(markup="<p>Autre chose</p>"),
    "markup_unsafe": lambda: checked(markup=f"<p title='x'>{checked().substitution.text}</p><!-- Anaïs -->"),
    "clinical_content_changed": lambda: checked(CHANGED * 11),
    "clinical_value_changed": lambda: checked(CHANGED),
    "identity_ordinary_word": lambda: checked(patient=dataclasses.replace(PATIENT, last_name="PETITE")),
    "identity_unknown": lambda: checked(patient=Patient()),
    "residual_month": planted("Suivi depuis mars 2020."),
    "dates_unread": swapped("=>9 avril 2023", "=>lendemain de la foire"),
    "words_cut": lambda: checked("Vu par Mme Ber[[DOCTOR|nard=>lioz]] ce jour."),
    "mentions_none": lambda: checked("Le patient va bien et le traitement est poursuivi. " * 5),
    "unique_person": planted("Facteur d'orgues, le dernier du département."),
    "drawn_kept": swapped("=>82 ans", "=>84 ans"),
    "names_disagree": lambda: checked(f"{CLEAN}Mme [[PERSON|Orsini=>Vidal]] puis [[PERSON|Orsini=>Roche]]."),
    "articles_disagree": lambda: checked(f"{CLEAN}Vue au CH d'[[CITY|Albi=>Gray]]."),
}


# The others count only.
BOUNDED = [check for check in CHECKS if check.most < COUNTED]


def test_every_check_has_a_failing_example() -> None:
    assert list(FAILING) == [check.name for check in BOUNDED], "an example in FAILING, in the order of CHECKS"


def test_a_sound_document_passes_every_check() -> None:
    (verdict,) = validate_batch([checked()])
    assert [outcome.check for outcome in verdict.outcomes if not outcome.success] == []
    assert verdict.reasons == ()
    assert verdict.warnings == ()


def test_each_check_fails_its_example_and_gives_its_reason() -> None:
    verdicts = validate_batch([example() for example in FAILING.values()])
    for check, verdict in zip(BOUNDED, verdicts, strict=True):
        failed = {outcome.check for outcome in verdict.outcomes if not outcome.success}
        assert check.name in failed, check.name
        if check.severity is Severity.CRITICAL:
            assert check.reason in verdict.reasons, check.name
        elif check.severity is Severity.WARNING:
            assert check.name in verdict.warnings
        if check.severity is not Severity.CRITICAL:
            harmless = {item.name for item in CHECKS if item.severity is not Severity.CRITICAL}
            assert failed <= harmless | {"text_unchanged"}, (check.name, failed)


def test_a_document_that_cannot_be_measured_fails_alone_and_everywhere() -> None:
    sound, broken = validate_batch([checked(), _unmeasurable()])
    assert sound.reasons == ()
    assert broken.reasons[0] is Reason.INCONSISTENT
    failed = {outcome.check for outcome in broken.outcomes if not outcome.success}
    assert failed == {check.name for check in CHECKS} - {"output_empty"}


def test_empty_batch() -> None:
    assert validate_batch([]) == []


def test_batch_results_count_what_the_verdicts_say() -> None:
    verdicts = validate_batch([checked(), checked(CLEAN + "Anaïs et Fax 05 36 49 12 31"), checked(CLEAN + "Anaïs")])
    results = {result.rule: result for result in batch_results(verdicts)}
    assert (results["identity_name"].unexpected_count, results["identity_name"].success) == (2, False)
    assert (results["residual_phone"].unexpected_count, results["residual_phone"].element_count) == (1, 3)
    assert results["residual_nir"].success


def test_a_check_counts_no_document_of_which_the_warehouse_knows_nothing_to_look_for() -> None:
    unknown = dataclasses.replace(PATIENT, birth_date=None, phones=(), emails=())
    verdicts = validate_batch([checked(), checked(patient=unknown), checked(patient=Patient())])
    counted = {result.rule: result.element_count for result in batch_results(verdicts)}
    assert (counted["identity_birth_date"], counted["identity_contact"]) == (1, 1)
    assert (counted["identity_name"], counted["residual_phone"]) == (2, 3)


@given(
    st.lists(
        st.fixed_dictionaries(
            {check.name: st.sampled_from([0.0, 0.2, 1.0, 2.9, 3.0, 3.1, 7.0, math.inf]) for check in CHECKS}
        ),
        min_size=1,
        max_size=6,
    )
)
@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_great_expectations_and_direct_evaluation_agree(rows: list[dict[str, float]]) -> None:
    for check, judgement in zip(CHECKS, judge("document", CHECKS, rows), strict=True):
        failing = {n for n, row in enumerate(rows) if not check.least <= row[check.name] <= check.most}
        assert judgement.failed_rows == failing
        assert (judgement.rule, judgement.severity, judgement.element_count) == (check.name, check.severity, len(rows))


@pytest.mark.parametrize("hole", [math.nan])
def test_a_missing_number_fails_every_document(hole: float) -> None:
    rows = [dict.fromkeys((check.name for check in CHECKS), 1.0) for _ in range(3)]
    rows[1]["identity_name"] = hole
    judged = {item.rule: item for item in judge("document", CHECKS, rows)}
    assert judged["identity_name"].failed_rows == {0, 1, 2}


def test_measures_are_numbers_and_nothing_else() -> None:
    numbers = measure(checked())
    assert set(numbers) == {check.name for check in CHECKS}, "compute it in `_measure` of deid/quality/measures.py"
    assert {type(value) for value in numbers.values()} == {float}


def test_a_verdict_is_the_same_whatever_stands_beside_its_document() -> None:
    known = dataclasses.replace(PATIENT, key="p1")
    batch = [checked(f"{CLEAN}Mme [[PERSON|Orsini=>{name}]].", known, name) for name in ("Vidal", "Vidal", "Roche")]
    assert validate_batch(batch) == [verdict for one in batch for verdict in validate_batch([one])]

"""Types and stays read back from texts: planted ones are found, and nothing where texts say nothing."""

from __future__ import annotations

from deid.config.policy import DEFAULT, load
from demo.hospital import generate
from demo.population import population_of
from nocturne_lab.evaluation.attacks.read_structure import (
    JOININGS,
    ReadText,
    publish_texts,
    read_types,
    rebuilt_stays,
)

WORDS = {"CRH": "Compte rendu d'hospitalisation", "ORD": "Ordonnance de sortie", "BIO": "Examens de biologie"}


def _planted(*, told: bool) -> list[ReadText]:
    """Nine patients of two stays of three documents, which their texts say or not."""
    found = []
    for patient in range(9):
        for at, kind in enumerate((*WORDS, *WORDS)):
            stay = at // 3
            number = frozenset({f"26{patient}{stay}"} if told else ())
            day = 700_000 + 1_000 * at  # no two near
            text = WORDS[kind] if told else "Document"
            found.append(ReadText(f"P{patient}", f"S{patient}{stay}", kind, text, day, frozenset(), number))
    return found


def test_types_that_texts_say_are_read() -> None:
    said = _planted(told=True)
    assert read_types(said) == [one.kind for one in said]
    silent = _planted(told=False)
    assert sum(kind == one.kind for kind, one in zip(read_types(silent), silent, strict=True)) <= len(silent) / 2


def test_stays_are_rebuilt_by_their_number_and_not_without_one() -> None:
    said = _planted(told=True)
    assert {name: rebuilt_stays(said, rule) for name, rule in JOININGS.items()} == dict.fromkeys(JOININGS, (18, 18))
    assert rebuilt_stays(said, None) == (0, 18)
    silent = _planted(told=False)
    assert {rebuilt_stays(silent, rule) for rule in JOININGS.values()} == {(0, 18)}


def test_stays_are_rebuilt_by_days_that_texts_share_or_that_are_near() -> None:
    first = ReadText("P", "A", "CRH", "", 1_000, frozenset({990}), frozenset())
    second = ReadText("P", "A", "ORD", "", 990, frozenset(), frozenset())
    other = ReadText("P", "B", "ORD", "", 1_030, frozenset(), frozenset())
    assert rebuilt_stays([first, second, other], JOININGS["shared day"]) == (2, 2)
    assert rebuilt_stays([first, second, other], JOININGS["near days"]) == (2, 2)
    assert rebuilt_stays([first, second, other], JOININGS["number"]) == (1, 2)
    near = ReadText("P", "B", "ORD", "", 1_003, frozenset(), frozenset())
    assert rebuilt_stays([first, second, near], JOININGS["near days"]) == (0, 2)


def test_strict_publishes_no_number_of_a_stay_and_default_the_same_in_all_its_documents() -> None:
    hospital = generate(7, patients=12, documents=120)
    stays = {one.document_id: (one.stay_id or "", one.type_code) for one in hospital.documents}
    records = population_of(hospital).records
    shipped = publish_texts(records, stays, load())
    numbers = [one for one in shipped if one.numbers]
    assert len({one.stay for one in numbers}) < len(numbers)
    assert all(a.stay == b.stay for a in numbers for b in numbers if a.patient == b.patient and a.numbers & b.numbers)
    strict = publish_texts(records, stays, load(DEFAULT.with_name("strict.yaml")))
    assert {one.numbers for one in strict} == {frozenset()}
    assert any("[NDA]" in one.text for one in strict)

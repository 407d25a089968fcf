"""Cues for the role of a name, one by one, and the weights that use them."""

from __future__ import annotations

import pytest

from deid.detection.refining.roles import ROLES, Evidence, gather_evidence, scores, settle_roles
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Patient, Vote
from deid.domain.labels import Label

PATIENT = Patient(last_name="GUÉGANTON", birth_name="Quillec", first_names=("Yves-Marie",))


def evidence(text: str, *names: str, patient: Patient | None = None, votes: tuple[Vote, ...] = ()) -> list[Evidence]:
    mentions, end = [], 0
    for name in names:
        start = text.index(name, end)
        end = start + len(name)
        mentions.append(Mention(start, end, Label.PERSON, 0.9, None, votes))
    return gather_evidence(Reading(Document("d", text, patient or Patient())), mentions)


def cues(text: str, name: str, patient: Patient | None = None) -> set[str]:
    (found,) = evidence(text, name, patient=patient)
    return {cue for cue, _ in found.cues}


@pytest.mark.parametrize(
    ("text", "name", "cue"),
    [
        ("Revu par le Dr Vraz", "Vraz", "near title before"),
        ("Madame Vraz", "Vraz", "civility before"),
        ("sa fille Anne", "Anne", "near kin before"),
        ("sa fille, Mme Anne Vraz", "Anne Vraz", "kin before"),
        ("infirmière : Vraz", "Vraz", "profession before"),
        ("Mme Quillec née Vraz", "Vraz", "birth before"),
        ("son épouse Vraz", "Vraz", "near kin before"),
        ("relais Vraz", "Vraz", "care before"),
        ("Nom :\nVraz", "Vraz", "field PATIENT"),
        ("Vraz, infirmière", "Vraz", "profession after"),
        ("Vraz (sa fille)", "Vraz", "kin after"),
        ("Vraz\nInfirmière", "Vraz", "line profession after"),
        ("Vraz, sans lien", "Vraz", "form surname"),
        ("Vraz, homonyme", "Vraz", "homonym after"),
        ("Vraz né à Brest", "Vraz", "born after"),
        ("10 h 30 Vraz", "Vraz", "time before"),
        ("Bien confraternellement,\nVraz", "Vraz", "closing before"),
        ("J. Vraz", "J. Vraz", "form initial and name"),
        ("J.V.", "J.V.", "form initials"),
        ("Jean VRAZ", "Jean VRAZ", "form full one in capitals"),
        ("vu Jean hier", "Jean", "form first name"),
        ("vu vraz hier", "vraz", "form lower"),
        ("Vraz", "Vraz", "line alone"),
        ("Vraz est venu", "Vraz", "line start"),
        ("On a vu Vraz", "Vraz", "line end"),
        ("lit 4 Vraz", "Vraz", "word before 0"),
        ("vu\nVraz", "Vraz", "word before line"),
    ],
)
def test_surroundings_and_form(text: str, name: str, cue: str) -> None:
    assert cue in cues(text, name)


@pytest.mark.parametrize(
    ("at", "cue"), [(0, "place head"), (230, "line alone"), (440, "line alone foot"), (470, "place foot")]
)
def test_place_in_a_long_document(at: int, cue: str) -> None:
    text = "\n" * at + "Vraz" + "\n" * (500 - at)
    assert cue in cues(text, "Vraz")


@pytest.mark.parametrize(
    ("name", "cue"),
    [
        ("Yves-Marie Guéganton", "patient whole"),
        ("Yves-Marie", "patient first name"),
        ("Quillec", "patient surname"),
        ("Paul Guéganton", "patient surname, another first name"),
        ("Marie Vraz", "patient first name, another surname"),
        ("Vraz", "patient other"),
    ],
)
def test_relation_to_the_patient(name: str, cue: str) -> None:
    assert cue in cues(f"Vu {name} ici", name, PATIENT)
    assert "patient unknown" in cues(f"Vu {name} ici", name)


def test_a_misspelt_name_that_the_identity_annotator_found_is_the_patient_s() -> None:
    (found,) = evidence("Vu Gueganon", "Gueganon", patient=PATIENT, votes=(Vote("identity", Label.PATIENT, 0.9),))
    assert {"patient surname", "vote identity PATIENT"} <= {cue for cue, _ in found.cues}


def test_votes_of_learned_taggers_and_sure_votes_of_context() -> None:
    votes = (Vote("crf", Label.DOCTOR, 0.7), Vote("context", Label.DOCTOR, 0.97), Vote("crf", Label.CITY, 0.2))
    (found,) = evidence("Vu Vraz", "Vraz", votes=votes)
    assert {(cue, value) for cue, value in found.cues if cue.startswith("vote")} == {
        ("vote learned DOCTOR", 0.7),
        ("vote context DOCTOR", 0.97),
        ("vote context sure DOCTOR", 1.0),
    }


def test_neighbouring_names() -> None:
    _, second = evidence("Dr Vraz et Omnès", "Vraz", "Omnès")
    assert "beside PERSON" in {cue for cue, _ in second.cues}
    _, second = evidence("DUPONT^JEAN", "DUPONT", "JEAN")
    assert second.goes_on
    _, second = evidence("Mme Vraz, née Quillec", "Vraz", "Quillec")
    assert second.goes_on


def test_names_are_counted_over_the_document() -> None:
    found = evidence("Mme Vraz. Dr Omnès. Mme Vraz. J. ", "Vraz", "Omnès", "Vraz", "J.")
    told = [{cue for cue, _ in one.cues} for one in found]
    assert {"named again", "named most", "civility before, named most", "named first"} <= told[0]
    assert not {"named again", "named most", "named first"} & told[1]
    assert "named before" in told[2]


def test_labels_behind_a_name() -> None:
    text = "Vraz 06 12 34 56 78"
    mentions = [Mention(0, 4, Label.PERSON), Mention(5, len(text), Label.PHONE)]
    (found,) = gather_evidence(Reading(Document("d", text)), mentions)
    assert ("PHONE after", 1.0) in found.cues


def test_scores_add_the_weights_of_cues_and_of_votes_that_were_not_fitted() -> None:
    one = Evidence(Mention(0, 4, Label.PERSON), ("vraz",), (), (("a", 2.0), ("vote learned DOCTOR", 0.5), ("b", 1.0)))
    assert scores(one, {"a": [1.0, 0.0, -1.0]}) == [2.0, 1.5, -2.0]


def test_mentions_of_one_person_share_their_evidence() -> None:
    text = "Dr Anne Vraz. Puis Vraz. A. Vraz. A. Et Omnès."
    names = [(3, 12), (19, 23), (25, 32), (34, 36), (40, 45)]
    mentions = [Mention(start, end, Label.PERSON, 0.9) for start, end in names]
    weights = {"near title before": [0.0, 9.0, 0.0], "bias": [0.0, 0.0, 0.1]}
    found = settle_roles(Reading(Document("d", text)), mentions, weights)
    assert [one.label for one in found] == [Label.DOCTOR] * 3 + [Label.PERSON] * 2
    assert settle_roles(Reading(Document("d", "rien")), []) == []
    assert len(ROLES) == 3

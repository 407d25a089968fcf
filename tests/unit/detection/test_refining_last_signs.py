"""The last signs of mentions, and what stops them from growing."""

from __future__ import annotations

import pytest

from deid.detection.refining import complete_last_signs
from deid.detection.refining.trimming import trim_nets
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.labels import Label


@pytest.mark.parametrize(
    ("label", "text", "marked", "whole"),
    [
        (Label.PATIENT, "Vu par O. ce jour", "O", "O."),
        (Label.DOCTOR, "signé P.S.M. à 8 h", "P.S.M", "P.S.M."),
        (Label.PERSON, "Sa mère est Anne. Elle", "Anne", "Anne"),
        (Label.PATIENT, "Mme Marie JOLI-\nDUVAL", "Marie JOLI", "Marie JOLI-"),
        (Label.PATIENT, "Mme JOLI - 3e étage", "JOLI", "JOLI"),
        (Label.PHONE, "au (+262) 639 98 20 45 le soir", "+262) 639 98 20 45", "(+262) 639 98 20 45"),
        (Label.PHONE, "bip *418", "418", "*418"),
        (Label.PHONE, "au (0)262 00 19 44", "262 00 19 44", "(0)262 00 19 44"),
        (Label.ID, "session=b71e-40c2-9d\n", "40c2-9", "b71e-40c2-9d"),
        (Label.ID, "scellés SC-5581-A à l'heure", "SC-5581", "SC-5581-A"),
        (Label.ID, "lot 4471, le 12/03", "4471", "4471"),
        (Label.ID, "envoi du flacon770214 ce soir", "770214", "770214"),
        (Label.ID, "prélèvement770214 perdu", "770214", "770214"),
        (Label.ID, "ÉCHANTILLON770214 perdu", "770214", "770214"),
        (Label.ID, "compte de hélène770214 fermé", "770214", "hélène770214"),
        (Label.ID, "compte de martin770214 fermé", "770214", "martin770214"),
        (Label.ID, "boîtier qwx770214 posé", "770214", "qwx770214"),
        (Label.DOCTOR, "Prof. M0REL-CHAMPI0N ici", "0REL-CHAMPI", "M0REL-CHAMPI0N"),
        (Label.DOCTOR, "DrBENALI ce soir", "BENALI", "BENALI"),
        (Label.PATIENT, "Prénom : A&iuml;ku Sylvie", "ku Sylvie", "A&iuml;ku Sylvie"),
        (Label.DOCTOR, "Décision (Sennev., Joulie)", "Sennev", "Sennev."),
        (Label.DOCTOR, "vu par Joulie. Repos", "Joulie", "Joulie"),
        (Label.ID, "prélèvement biologique\n2031-44", "2031-44", "2031-44"),
        (Label.DOCTOR, "semaine 31\nLe Gac, Omnès", "Le Gac", "Le Gac"),
        (Label.AGE, "72 ans(e)", "72 ans", "72 ans"),
        (Label.DATE, "rash, l986), pénicilline", "986", "l986"),
        (Label.DATE, "rash, 199O), pénicilline", "199", "199O"),
        (Label.DATE, "le 12 mars, Il", "12 mars", "12 mars"),
        (Label.PATIENT, "Mr K. M âgé de 45 ans", "K.", "K. M"),
        (Label.PATIENT, "Mr K. M a toussé", "K.", "K."),
    ],
)
def test_a_mention_takes_the_signs_that_are_its_own(label: Label, text: str, marked: str, whole: str) -> None:
    start = text.index(marked)
    (grown,) = complete_last_signs(Reading(Document("d", text)), [Mention(start, start + len(marked), label)])
    assert text[grown.start : grown.end] == whole


def test_a_mention_never_grows_over_another() -> None:
    text = "IPP 8123-DUVAL"
    one, other = Mention(4, 8, Label.IPP), Mention(9, 14, Label.PATIENT)
    grown = complete_last_signs(Reading(Document("d", text)), [one, other])
    assert [(m.start, m.end) for m in grown] == [(4, 8), (9, 14)]


def test_a_social_security_number_keeps_its_key() -> None:
    text = "NIR 2 31 10 76 312 009 clé 21"
    number, check = Mention(4, 22, Label.NIR), Mention(27, 29, Label.NIR)
    grown = complete_last_signs(Reading(Document("d", text)), [number, check])
    assert [text[m.start : m.end] for m in grown] == ["2 31 10 76 312 009 clé 21"]


@pytest.mark.parametrize(
    ("text", "part", "whole"),
    [
        ("saisi par rachel.creteur, EVA 3", "rachel", "rachel.creteur"),
        ("saisi par rachel.creteur", "rachel", "rachel.creteur"),
        ("vu par le dr creteur.traitement inchangé", "creteur", "creteur"),  # a sentence without its blank
        ("saisi par Rachel.creteur", "Rachel", "Rachel"),
        ("rachel.creteur@chu.example", "rachel", "rachel"),  # the address is a mention of its own
    ],
)
def test_a_login_goes_whole_where_its_first_half_was_found(text: str, part: str, whole: str) -> None:
    at = text.index(part)
    (found,) = complete_last_signs(Reading(Document("d", text)), [Mention(at, at + len(part), Label.DOCTOR, 0.9)])
    assert text[found.start : found.end] == whole


@pytest.mark.parametrize(
    ("text", "behind"),
    [
        ("Tél. 06 39 98 01 12 LEBRUN", ["LEBRUN"]),
        ("Tél. 06.39.98.01.12 Quelennec", ["Quelennec"]),
        ("Tél. 06 39 98 01 12 - Anselme", ["Anselme"]),
        ("Tél. 06 39 98 01 12 LEBRUN Anselme", ["LEBRUN Anselme"]),
        ("Tél. 06 39 98 01 12 Le Goff", ["Le Goff"]),
        ("Tél. 06 39 98 01 12 lebrun", ["lebrun"]),
        ("Tél. 06 39 98 01 12 SECRETARIAT", []),
        ("Tél. 06 39 98 01 12 Service de garde", []),
        ("Tél. 06 39 98 01 12 le soir", []),
        ("Tél. 06 39 98 01 12, Urgences", []),
    ],
)
def test_a_name_behind_a_number_is_a_mention_of_its_own(text: str, behind: list[str]) -> None:
    whole = Mention(5, len(text), Label.PHONE)
    number, *names = trim_nets(Reading(Document("d", text)), [whole])
    assert (number.label, number.start, number.end) == (Label.PHONE, 5, 19)
    assert [text[one.start : one.end] for one in names] == behind
    assert {one.label for one in names} <= {Label.PERSON}


@pytest.mark.parametrize("text", ["Tél. 0 800 SANTE", "Poste 44 12 Lebrun", "Tél. 06 39 98 01 12"])
def test_a_short_number_keeps_its_letters(text: str) -> None:
    mention = Mention(5, len(text), Label.PHONE)
    assert list(trim_nets(Reading(Document("d", text)), [mention])) == [mention]

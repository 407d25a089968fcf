"""Invariants of every substitution: no original kept, right offsets, the same result on every run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.config.policy import Policy
from deid.domain.document import Document, Mention, Patient, Substitution
from deid.domain.errors import DocumentRefused, PolicyError, Reason, SettingsError
from deid.domain.labels import Label
from deid.french.articles import read_ahead
from deid.french.folding import comparable
from deid.reference import CommuneTable
from deid.substitution import Substitutor, pseudonym
from deid.substitution.registry import Generators
from tests.unit.substitution.examples import ANCHOR, KEY, marked, surrogates

LETTER = """[[ORG|CHU de Dijon]] – [[STREET|2 boulevard du Maréchal-de-Lattre, BP 77908]]
[[ZIP|21079]] [[CITY|DIJON CEDEX]]
Dr [[DOCTOR|Hervé LACOUR]], RPPS [[RPPS|10003847216]], secrétariat [[PHONE|03 53 01 12 34]], [[EMAIL|h.lacour@chu.fr]]
[[CITY|Dijon]], le [[DATE|17 mai 2023]]
Monsieur [[PATIENT|Jean DURAND]], né le [[DATE|12/03/1958]] à [[CITY|Beaune]], IPP [[IPP|0081774523]],
séjour [[NDA|230311874]], NIR [[NIR|1 58 03 21 054 012 65]],
demeurant [[STREET|7 rue des Tilleuls]], [[ZIP|21200]] [[CITY|BEAUNE]] ([[LOC|Côte-d'Or]]).
M. [[PATIENT|Durand]], [[AGE|65 ans]], hospitalisé du [[DATE|3]] au [[DATE|11 mai 2023]],
opéré [[RELDATE|il y a 10 ans]], accompagné de sa fille [[PERSON|Claire Durand]] ([[PHONE|06 39 98 11 22]]),
prothèse n° [[ID|X2291-0047718]].
Prochain rendez-vous [[RELDATE|dans trois mois]], voir [[URL|https://rdv.chu-dijon.fr/p/8812]].
[[DOCTOR|HL]]/mp
"""
PATIENT = Patient(
    key="p1",
    last_name="DURAND",
    first_names=("Jean",),
    sex="M",
    birth_date=date(1958, 3, 12),
    addresses=("7 rue des Tilleuls",),
    zip="21200",
    city="Beaune",
)


def _holds(document: Document, mentions: Sequence[Mention], result: Substitution) -> None:
    """The properties of every substitution of disjoint mentions."""
    position = moved = 0
    for surrogate, (start, end), found in zip(result.surrogates, result.spans, sorted(mentions), strict=True):
        mention = surrogate.mention
        ahead = document.text[mention.start : found.start]
        assert replace(mention, start=found.start) == found
        assert not ahead or read_ahead(ahead) == read_ahead(document.text[position : found.start])
        assert result.text[start:end] == surrogate.text
        assert result.text[moved:start] == document.text[position : mention.start]
        assert comparable(surrogate.text) != comparable(document.text[mention.start : mention.end])
        position, moved = mention.end, end
    assert result.text[moved:] == document.text[position:]


def test_a_label_without_a_generator_is_named(substitutor: Substitutor, monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(*given: Any) -> Generators:
        made = Generators(*given)
        made.by_label = {label: one for label, one in made.by_label.items() if label is not Label.RPPS}
        return made

    monkeypatch.setattr("deid.substitution.substitutor.Generators", forgetful)
    with pytest.raises(PolicyError, match="label RPPS has no generator") as refused:
        substitutor.substitute(*marked("Dr X, RPPS [[RPPS|10003847216]]."))
    assert refused.value.remedy
    assert "10003847216" not in str(refused.value)


def test_a_letter(substitutor: Substitutor) -> None:
    document, mentions = marked(LETTER, patient=PATIENT)
    result = substitutor.substitute(document, mentions)
    _holds(document, mentions, result)
    assert all(surrogate.parsed for surrogate in result.surrogates)
    for hidden in (
        "Durand",
        "DURAND",
        "Dijon",
        "DIJON",
        "Beaune",
        "BEAUNE",
        "Lacour",
        "lacour",
        "Tilleuls",
        "0081774523",
    ):
        assert hidden not in result.text


def test_the_order_of_documents_does_not_matter(policy: Policy, communes: CommuneTable) -> None:
    documents = [marked(LETTER, patient=replace(PATIENT, key=f"p{n % 7}"), id=f"d{n}") for n in range(20)]
    first = {document.id: Substitutor(policy, KEY, communes).substitute(document, m) for document, m in documents}
    again = Substitutor(policy, KEY, communes)
    assert {document.id: again.substitute(document, mentions) for document, mentions in documents[::-1]} == first


def test_the_order_of_mentions_does_not_matter(substitutor: Substitutor) -> None:
    document, mentions = marked(LETTER, patient=PATIENT)
    assert substitutor.substitute(document, mentions[::-1]) == substitutor.substitute(document, mentions)


def test_another_key_gives_another_text(policy: Policy, communes: CommuneTable, substitutor: Substitutor) -> None:
    document, mentions = marked(LETTER, patient=PATIENT)
    other = Substitutor(policy, b"another key" * 3, communes).substitute(document, mentions)
    pairs = zip(surrogates(other), surrogates(substitutor.substitute(document, mentions)), strict=True)
    assert sum(one != two for one, two in pairs) > len(mentions) * 0.7


def test_another_patient_gets_another_text(substitutor: Substitutor) -> None:
    one = substitutor.substitute(*marked(LETTER, patient=PATIENT))
    other = substitutor.substitute(*marked(LETTER, patient=replace(PATIENT, key="p2")))
    assert one.text != other.text


def test_without_a_patient_key_the_document_is_the_scope(substitutor: Substitutor) -> None:
    nobody = replace(PATIENT, key=None)
    one, again, other = (
        substitutor.substitute(*marked(LETTER, patient=nobody, id=id)).text for id in ("d1", "d1", "d2")
    )
    assert one == again != other


FRAGMENTS = st.sampled_from(
    "12 3 0 99 2020 06 +33 / - . , ' ’ ( @ : janvier mars lundi premier vingt et un ans mois il y a dans hier rue bis "
    "BP lieu-dit CHU de du le La Dijon Saint- CEDEX DUPONT Jean J. M. née O l ½ N° FR76 2A .fr www. é Ç ß".split()
)
TEXTS = st.one_of(
    st.text(min_size=1, max_size=25),
    st.builds(str.join, st.sampled_from(["", " ", "-"]), st.lists(FRAGMENTS, min_size=1, max_size=6)),
)


@settings(max_examples=400, deadline=None)
@given(label=st.sampled_from(Label), text=TEXTS, dated=st.booleans())
def test_no_mention_breaks_it_or_survives(label: Label, text: str, dated: bool, substitutor: Substitutor) -> None:
    document = Document("d1", f"a {text} b", Patient(key="p1"), ANCHOR if dated else None)
    mentions = [Mention(2, 2 + len(text), label)]
    _holds(document, mentions, substitutor.substitute(document, mentions))


SHORT = {
    Label.PATIENT: ["L", "L.", "X", "DU", "O'", "Jean-", "JP", "de", "M. A."],
    Label.DATE: ["1", "31", "0", "99", "00/00/0000", "29/02/2019", "1er", "lundi", "31/12", "2023", "mai", "DATE",
                 "[DATE]", "[…]"],
    Label.AGE: ["0", "1 an", "0 jour", "1", "125 ans", "90 ans et plus", "90+"],
    Label.RELDATE: ["ce jour", "hier", "il y a 0 jour", "dans un an", "la veille"],
    Label.ZIP: ["70100", "99999", "1", "2A004", "vingt et un mille"],
    Label.CITY: ["Y", "Gray", "Paris 15e", "CEDEX", "Brest cedex 9", "Tombouctou", "L'", "Saint-"],
    Label.STREET: ["rue", "BP 4", "12", "12 bis", "appt 3, 2e étage", "lieu-dit", "rue du 8 mai 1945", "Le Bourg"],
    Label.LOC: ["15e", "A6", "lac", "Côte-d'Or", "Bourgogne-Franche-Comté", "Sénégal"],
    Label.ORG: ["CHU", "CH", "EHPAD Les Tilleuls", "de", "Valmont"],
    Label.PHONE: ["15", "4412", "+33", "0", "06 39 98", "03 53 01", "+41 22 555 01 88", "zéro six trente neuf", "bip"],
    Label.EMAIL: ["@", "a@b", "secretariat@", "secretariat"],
    Label.URL: ["www.", "https://", "x", "//"],
    Label.NIR: ["1", "65", "1580321054012", "clé 12", "deux"],
    Label.RPPS: ["1", "10003847216", "FINESS"],
    Label.ID: ["0", "A", "::1", "127.0.0.1", "AA-001-AA", "FR76 3000 6000 0112 3456 7890 189", "n°"],
}  # fmt: skip


def test_overlapping_mentions_become_one(substitutor: Substitutor) -> None:
    document = Document("d1", "vu Jean DURAND MARTIN hier", Patient(key="p1"), ANCHOR)
    mentions = [Mention(3, 14, Label.PATIENT), Mention(8, 21, Label.PERSON, score=0.6), Mention(22, 26, Label.RELDATE)]
    result = substitutor.substitute(document, mentions)
    assert [(one.mention.start, one.mention.end, one.mention.label) for one in result.surrogates] == [
        (3, 21, Label.PERSON),
        (22, 26, Label.RELDATE),
    ]
    assert not {"Jean", "DURAND", "MARTIN"} & set(result.text.split())


@pytest.mark.parametrize("label", list(Label))
def test_a_text_keeps_its_lines(label: Label, substitutor: Substitutor) -> None:
    document = Document("d1", "vu à 12\nSaint-\nDenis\nhier", Patient(key="p1"), ANCHOR)
    result = substitutor.substitute(document, [Mention(5, 19, label)])
    assert result.text.count("\n") == document.text.count("\n")


def test_a_mention_past_the_end_is_refused(substitutor: Substitutor) -> None:
    with pytest.raises(DocumentRefused) as refusal:
        substitutor.substitute(Document("d1", "court"), [Mention(2, 9, Label.PATIENT)])
    assert refusal.value.reason is Reason.SUBSTITUTION_FAILED


def test_an_empty_key_is_refused(policy: Policy, communes: CommuneTable) -> None:
    with pytest.raises(SettingsError):
        Substitutor(policy, b"", communes)


def test_a_document_without_mentions_is_itself(substitutor: Substitutor) -> None:
    result = substitutor.substitute(Document("d1", "RAS.", Patient(key="p1")), [])
    assert (result.text, result.surrogates, result.spans, result.spends) == ("RAS.", (), (), ())


def test_the_thread_example_of_the_method(substitutor: Substitutor) -> None:
    """Tchouka et al. 2023: one name, one city twice, an age and two dates in two forms."""
    document, mentions = marked(
        "M. [[PATIENT|Durand]] né à [[CITY|Dijon]], [[AGE|40 ans]], a été admis à l'hôpital du [[DATE|12/02/2020]] "
        "au [[DATE|26 février 2020]] à la suite d'un accident de la route à [[CITY|Dijon]].",
        reference_date=date(2020, 2, 26),
    )
    result = substitutor.substitute(document, mentions)
    name, city, age, admitted, discharged, again = surrogates(result)
    assert city == again
    assert name != "Durand"
    assert age.endswith(" ans")
    assert int(admitted[-4:]) in (2019, 2020)
    assert discharged.split()[-1] in ("2019", "2020")
    assert {spend.category: spend.elements for spend in result.spends} == {"anchor": 1, "date": 1, "age": 1, "place": 1}


def test_pseudonyms_are_stable_separate_and_keyed() -> None:
    one = pseudonym(KEY, "patient", "42")
    assert one == pseudonym(KEY, "patient", "42")
    assert len(one) == 20
    assert (
        len({one, pseudonym(KEY, "stay", "42"), pseudonym(KEY, "patient", "43"), pseudonym(b"k", "patient", "42")}) == 4
    )


@pytest.mark.parametrize(("key", "identifier"), [(b"", "42"), (KEY, "")])
def test_a_pseudonym_needs_key_and_identifier(key: bytes, identifier: str) -> None:
    with pytest.raises(ValueError, match="needs"):
        pseudonym(key, "patient", identifier)


@pytest.mark.parametrize(
    ("label", "name", "cut"),
    [("PATIENT", "Martin", "Mar-\n tin"), ("DOCTOR", "Haddad", "Had-\ndad"), ("CITY", "Lavaur", "Lav-\naur")],
)
def test_a_word_cut_at_the_end_of_a_line_is_drawn_as_the_whole(
    label: str, name: str, cut: str, substitutor: Substitutor
) -> None:
    text = f"Vu : {name} ce jour. Revu : {cut} ensuite."
    mentions = [Mention(at, at + len(said), Label(label)) for said in (name, cut) for at in [text.index(said)]]
    whole, halves = substitutor.substitute(Document("d", text), mentions).surrogates
    assert halves.text == f"{whole.text}\n"

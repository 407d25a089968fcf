"""Mentions that the annotator of indirect identifiers finds and leaves; it changes no other."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deid.config import policy as policies
from deid.config.policy import AnnotatorChoice, Policy
from deid.detection import Detector
from deid.detection.annotators.indirect import FINDERS, Indirect
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.errors import PolicyError
from deid.domain.labels import DIRECT, OPTIONAL, Label
from nocturne_lab.evaluation.markup import parse_marked
from tests import ROOT

FOUND = (
    "Profession : [[PROFESSION|greffeuse]] à la ferme perlière.",
    "Il travaille comme [[PROFESSION|maçon]] chez Colas.",
    "Patiente de 54 ans, [[PROFESSION|caissière]], vue en consultation.",
    "[[PROFESSION|Ancien mineur de fond]] aux houillères.",
    "Son père, [[PROFESSION|berger]], et sa mère [[PROFESSION|vendeuse]] au marché.",
    "Sa fille est [[PROFESSION|infirmière]] à Toul.",
    "Elle a été [[PROFESSION|professeure de latin]] au lycée.",
    "[[PROFESSION|Facteur retraité]], il marche beaucoup.",
    "Il est [[PROFESSION|retraité]] de la SNCF.",
    "Patient de nationalité [[NATIONALITY|malienne]].",
    "Un touriste [[NATIONALITY|belge]] de 58 ans.",
    "Patient [[NATIONALITY|tunisien]] âgé de 42 ans.",
    "Il est [[NATIONALITY|demandeur d'asile]].",
    "Passeport [[NATIONALITY|suisse]], de passage.",
    "[[FAMILY|Mariée]], [[FAMILY|3 enfants]], autonome.",
    "[[FAMILY|Veuf]] depuis 2014, [[FAMILY|vit avec sa fille]].",
    "Elle [[FAMILY|vit seule]] au troisième étage.",
    "[[FAMILY|En instance de divorce]].",
    "C'est la [[FAMILY|deuxième d'une fratrie de trois]].",
    "Deniz est le [[FAMILY|3e enfant]] de Selma.",
    "Elle [[FAMILY|vit avec son petit-fils]], [[FAMILY|garde alternée]] des petits.",
    "Il [[RELIGION|croit en Dieu]].",
    "Elle est [[RELIGION|témoin de Jéhovah]] et refuse la transfusion.",
    "De confession [[RELIGION|musulmane]], elle suit le [[RELIGION|ramadan]].",
    "Religion : [[RELIGION|catholique pratiquante]].",
    "Patiente d'origine [[ETHNICITY|maghrébine]].",
    "Homme [[ETHNICITY|caucasien]] de 40 ans.",
    "GPS [[COORDINATES|48.8566, 2.3522]].",
    "Trouvé en [[COORDINATES|48°51'24\" N, 2°21'07\" E]].",
    "Lambert-93 [[COORDINATES|X = 652345 Y = 6862123]]",
    "Balise [[COORDINATES|31U 448251 5411932]]",
    "coordonnées : [[COORDINATES|48,8566 ; 2,3522]]",
    "Il est à [[COORDINATES|///tables.lampe.chaise]]",
)
LEFT = (
    "Adressé par le médecin traitant, Dr Lenoir, et l'infirmière libérale.",
    "Poumon du fermier, coude du tennisman, doigt de la laveuse, asthme du boulanger.",
    "Facteur rhumatoïde négatif, facteurs de risque cardiovasculaire, facteur de Leiden.",
    "Examen jugé normal, ponction guidée, sujet mineur.",
    "M. Boulanger et Mme Meunier, vus avec le Dr Charpentier.",
    "Il a pris sa retraite ; conduite à tenir : retraite de la conduite.",
    "Grippe espagnole en 1918, échelle canadienne, taille française, méthode allemande.",
    "Syndrome de Guillain-Barré, hôpital Saint-Antoine, sonde nonne.",
    "Rougeole chez 3 enfants d'une étude ; cas de deux enfants traités.",
    "3e geste, 2e pare. Mère et deux sœurs atteintes d'un cancer du sein.",
    "Vu par la sœur du patient, qui vit loin.",
    "Infection d'origine bactérienne, douleur d'origine inconnue, phototype VI.",
    "Érythème migrant, douleur migrante.",
    "Hôpital protestant, institut catholique, cimetière israélite.",
    "p = 0,0012 et 0,0034 ; flexion 120° 30' ; créatinine 48,85 puis 52,35.",
    "Fumeur de gitanes, il parle kabyle.",
    "Facteur de progression, facteur déclenchant, manœuvre d'exploration, deux fils tracteurs.",
    "En mars, un enfant de 14 ans est vu ; pied de type égyptien.",
    "Née d'une fille vue par le médecin du centre, di\u00adagnostiqué tard.",
    "Bureau 4, ascenseur des couturières.",
)


def _marked(document: Document) -> list[tuple[str, Label]]:
    mentions = sorted(Indirect().annotate(Reading(document)))
    return [(document.text[one.start : one.end], one.label) for one in mentions]


@pytest.mark.parametrize("sentence", FOUND)
@pytest.mark.parametrize("plain", [False, True], ids=["written", "upper"])
def test_what_singles_out_is_found_with_its_edges(sentence: str, plain: bool) -> None:
    text, mentions = parse_marked(sentence, "t")
    expected = [(text[one.start : one.end], one.label) for one in mentions]
    if plain and "é" not in text.casefold():  # a capital hides an accent that decides
        text, expected = text.upper(), [(surface.upper(), label) for surface, label in expected]
    assert list(dict.fromkeys(_marked(Document("t", text)))) == expected


@pytest.mark.parametrize("sentence", LEFT)
def test_diseases_staff_names_and_measures_are_left(sentence: str) -> None:
    assert not _marked(Document("t", sentence))


def test_labels_may_be_chosen() -> None:
    text = "Mariée, maçon de métier, GPS 48.8566, 2.3522."
    assert {one.label for one in Indirect(["FAMILY"]).annotate(Reading(Document("t", text)))} == {Label.FAMILY}
    with pytest.raises(PolicyError, match="DATE"):
        Indirect(["FAMILY", "DATE"])
    assert set(FINDERS) == OPTIONAL - {Label.TIME}, (
        "name what finds it in FINDERS of deid/detection/annotators/indirect"
    )


def _rules(*names: str) -> Policy:
    base = policies.load(policies.DEFAULT.parent / "rules.yaml")
    choices = (*base.detection.annotators, *(AnnotatorChoice(name=name) for name in names))
    return base.model_copy(update={"detection": base.detection.model_copy(update={"annotators": choices})})


@pytest.fixture(scope="module")
def detectors() -> tuple[Detector, Detector]:
    return Detector(_rules()), Detector(_rules("indirect"))


def _but_contained(found: tuple[Mention, ...], mentions: tuple[Mention, ...]) -> list[Mention]:
    direct = [one for one in found if one.label in OPTIONAL & DIRECT]
    return [one for one in mentions if not any(one.overlaps(other) for other in direct)]


def test_other_mentions_stay_as_they_are(detectors: tuple[Detector, Detector]) -> None:
    paths = sorted((ROOT / "corpus" / "train").glob("w1*-0[1-3].txt"))
    documents = [Document(path.stem, parse_marked(path.read_text(encoding="utf-8"), path.name)[0]) for path in paths]
    without, having = (one.detect(documents) for one in detectors)
    assert any(mention.label in OPTIONAL for found in having for mention in found)
    for plain, found in zip(without, having, strict=True):
        assert [one for one in found if one.label not in OPTIONAL] == _but_contained(found, plain)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from([*FOUND, *LEFT, "\n", "né le 12/03/1960 ", "0612345678", "Dr Martin, "]), max_size=8))
def test_mentions_are_disjoint_and_within_the_text(detectors: tuple[Detector, Detector], pieces: list[str]) -> None:
    text = "".join(pieces).replace("[[", "").replace("]]", "").replace("|", " ")
    without, having = (one.detect([Document("t", text)])[0] for one in detectors)
    assert all(before.end <= after.start for before, after in pairwise(having))
    assert all(0 <= one.start < one.end <= len(text) for one in having)
    assert [one for one in having if one.label not in OPTIONAL] == _but_contained(having, without)


def test_a_link_to_a_map_goes_whole(detectors: tuple[Detector, Detector]) -> None:
    text = "Plan : https://maps.google.com/?q=48.856614,2.352222 pour le taxi."
    covered = {at for one in detectors[1].detect([Document("t", text)])[0] for at in range(one.start, one.end)}
    assert set(range(text.index("48.8"), text.index(" pour"))) <= covered

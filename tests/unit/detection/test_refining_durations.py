"""Ages are kept, durations are not; times count from the document, or they are no mention."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.detection.detector import Detector
from deid.detection.refining.durations import drop_durations
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label

ADULT = "Patient âgé de [[67 ans]]. "


def settled(text: str, label: Label, patient: Patient | None = None) -> list[tuple[str, Label]]:
    """Return the mentions marked [[…]], all of one label, that stay, with their label."""
    bare, mentions = "", []
    for piece in text.split("[["):
        marked, _, rest = piece.rpartition("]]")
        if marked:
            mentions.append(Mention(len(bare), len(bare) + len(marked), label, 0.9))
        bare += marked + rest
    reading = Reading(Document("d", bare, patient or Patient(), date(2024, 1, 8)))
    return [(bare[one.start : one.end], one.label) for one in drop_durations(reading, mentions)]


@pytest.mark.parametrize(
    "text",
    [
        "âgé de [[67 ans]]",
        "patiente de [[34 ans]]",
        "nourrisson de [[3 mois]]",
        "à l'âge de [[12 ans]]",
        "M. Vraz, [[50 ans]], en hémodialyse depuis mai",
        "Âge au séjour : [[51 ans]]",
        "sa mère avait [[80 ans]]",
        "fêté ses [[18 ans]]",
        "Elle aura [[77 ans]] après-demain",
        "Il a eu [[77 ans]] avant-hier",
        "mort à [[66 ans]] après trente ans de métier",
        "sœur décédée à [[51 ans]] d'un cancer",
        "Marche à [[22 mois]], premiers mots à [[3 ans]]",
        "ménopause à [[51 ans]]",
        "premières règles à [[13 ans]]",
        "opéré à [[6 jours]] à Clermont",
        "depuis l'âge de [[14 ans]]",
        "à [[59 jours]] de vie",
        "apiculteur de [[34 ans]] après son choc",
        "les traitements de cet homme de [[60 ans]]",
        "ses deux garçons ([[13 ans]])",
        "depuis ses [[14 ans]]",
        "RAA à [[12 ans]]",
        "cancer du côlon à [[61 ans]]",
        "Aîné : Vadim, [[4 ans]], puis Lou",
        "il a fêté [[40 ans]] ce mois-ci",
        "sa fille Odile [[12 ans]] puis son fils",
        "à [[18 ans]], puis à Brest",
        "son fils Vadim ([[18 mois]])",
        "exposition à l'amiante de son père, âgé de [[70 ans]]",
    ],
)
def test_ages_are_kept(text: str) -> None:
    for whole in (text, f"{ADULT}{text}"):
        assert len(settled(whole, Label.AGE)) == whole.count("[[")


@pytest.mark.parametrize(
    "text",
    [
        "avec un recul de [[2 ans]]",
        "Le recul actuel est de [[12 mois]]",
        "un recul évolutif de [[18]] et [[16 mois]]",
        "HTA depuis [[10 ans]]",
        "ménopausée depuis près de [[5 ans]]",
        "évoluant depuis plus de [[03 ans]]",
        "traité durant [[7 ans]]",
        "au bout de [[6 ans]]",
        "la masse remontait à [[deux mois]]",
        "un épisode qui date de [[8 ans]]",
        "une durée de [[5 ans]]",
        "un précédent séjour de [[21 jours]]",
        "infertilité de [[trois ans]]",
        "[[Six ans]] après le traitement",
        "[[3 mois]] avant son admission",
        "survenu [[8 mois]] auparavant",
        "[[neuf ans]] plus tard",
        "à [[38 semaines]] d'aménorrhée",
        "à [[33 semaines]] et 6 jours de gestation",
        "jusqu'à [[3 mois]] du post-partum",
        "la grossesse était âgée de [[33 semaines]] et [[2 jours]]",
        "à [[1 an]] après l'accouchement",
        "à [[4 ans]] de recul",
        "à [[16 mois]] du diagnostic",
        "un long passé ([[4 ans]]) de douleurs",
        "la durée d'évolution variait entre [[3 ans]] et [[8 ans]]",
        "revu à [[6 mois]] puis à [[un an]]",
        "contrôle à [[3 mois]], à [[6 mois]]",
        "la reprise autorisée à [[3 mois]]",
        "la TDM faite à [[18 mois]]",
        "tabac depuis 20 ans, [[33 paquet-année]]",
        "a vécu [[7 ans]] au Japon",
        "il a [[quatre demi]]-frères",
        "il a [[quatre]] demi-frères",
        "bon à 3 mois ([[70]] à droite et 72 à gauche)",
        "cerclage à [[23]] semaines et 6 jours",
        "cerclage à [[23 semaines]] et 6 jours",
        "il a fumé près de [[20 ans]]",
        "avait travaillé [[12]] ou [[13 ans]] en usine",
        "revu à [[3]] mois",
        "elle y est restée [[cinq ans]]",
        "du même village, [[deux ans]] de plus que lui",
        "ancienne porcelainière ([[trente-six ans]] de maison)",
        "errance de [[sept ans]]",
        "menuisier chez Chabrand [[trente ans]] puis à la coopérative",
        "même âge à [[deux ans]] près",
        "à [[quatre mois]] de son AVC",
        "Amiodarone [[12 ans]], arrêtée",
        "prison de Muret : [[dix-neuf mois]]",
        "deux incarcérations (1997 et 2002, [[dix-huit mois]])",
        "curatelle simple, M. Legrand, [[5 ans]]",
        "exposition certaine, forte, [[26 ans]]",
        "délai de prise en charge [[30 ans]]",
        "il a marché [[cinquante ans]]",
        "Nous vous reverrons à [[un an]]",
        "gréviste de la faim, [[28 jours]]",
        "cycle menstruel régulier à [[29 jours]]",
        "cycles de [[28 jours]]",
        "règles tous les mois, cures de [[21 jours]]",
    ],
)
def test_durations_of_an_adult_are_no_ages(text: str) -> None:
    assert settled(ADULT + text, Label.AGE) == [("67 ans", Label.AGE)]


@pytest.mark.parametrize("text", [
    "Contrôle à [[3 mois]] et à [[6 mois]], puis IRM à [[1 an]].", "Footing à [[4 mois]].",
    "Suites simples à [[3 mois]].",
    "Vaccins à [[2]], [[4]] et [[11 mois]] faits.", "Rappel vaccinal à [[25 ans]], [[45 ans]] et [[65 ans]].",
    "Hexyon à faire à [[deux mois]].", "Nourrisson vacciné à [[2 mois]].",
])  # fmt: skip
def test_a_schedule_tells_no_age(text: str) -> None:
    assert settled(text, Label.AGE) == []


@pytest.mark.parametrize(
    "text",
    [
        "Score CHA2DS2-VASc 3 (âge > [[75 ans]], HTA)",
        "CRB65 : 1 (âge ≥ [[65 ans]])",
        "pas de test avant [[18 ans]]",
        "Dépistage recommandé à partir de [[25 ans]] chez les apparentées",
        "contre-indiqué chez l'enfant de moins de [[12 ans]]",
        "déconseillé chez les patients de plus de [[75 ans]]",
        "AMM chez l'adolescent de [[12 ans]] et plus",
        "Enfants de [[8]] à [[12 ans]] exclus du protocole",
        "Critères d'inclusion : âge entre [[18]] et [[80 ans]]",
        "Il est interdit de conduire avant [[18 ans]]",
        "La mastectomie se discutera avant [[40 ans]]",
        "Salpingectomie à envisager à partir de [[35 ans]]",
        "Scanner annuel entre [[50]] et [[74 ans]]",
        "Surveillance par IRM dès [[20 ans]], puis par échographie après [[65 ans]]",
    ],
)
def test_an_age_of_a_rule_is_nobodys(text: str) -> None:
    assert settled(f"{ADULT}{text}.", Label.AGE) == [("67 ans", Label.AGE)]


@pytest.mark.parametrize(
    "text",
    [
        "Indication : syncope chez homme de [[69 ans]]",
        "Indication : cholécystite chez une femme de [[64 ans]]",
        "Dépistage proposé ; sa mère, opérée après [[60 ans]]",
        "Test négatif. Il boit depuis l'âge de [[17 ans]]",
        "son père, mort avant [[60 ans]]",
        "a fumé de [[16]] à [[36 ans]]",
        "Elle a eu un scanner annuel dès [[31 ans]]",
        "Surveillance annuelle débutée avant [[33 ans]]",
        "Sous surveillance dès [[52 ans]]",
        "Père en surveillance annuelle dès [[52 ans]]",
        "Elle souhaite en discuter avant [[35 ans]]",
        "Mammographie anormale avant [[41 ans]]",
        "Scores conservés chez cette patiente de plus de [[80 ans]]",
    ],
)
def test_an_age_of_somebody_beside_a_rule_is_kept(text: str) -> None:
    assert len(settled(f"{ADULT}{text}.", Label.AGE)) == 1 + text.count("[[")


@pytest.mark.parametrize(
    "text", ["jusqu'à [[douze]] dans une nuit", "[[trente]] par jour", "[[huit]] en une seule soirée"]
)
def test_what_is_counted_in_a_time_is_no_age(text: str) -> None:
    assert settled(f"{ADULT}Absences : {text}.", Label.AGE) == [("67 ans", Label.AGE)]


def test_an_age_beside_a_part_of_the_day_is_kept() -> None:
    assert len(settled(f"{ADULT}Sa fille âgée de [[quinze ans]] dans une soirée.", Label.AGE)) == 2


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Trois malaises [[dans une nuit]].", 0),
        ("Six selles [[dans la même journée]].", 0),
        ("Il revient [[dans une semaine]].", 1),
        ("Elle sera appelée [[dans la matinée]].", 1),
        ("Opéré [[dans la nuit]].", 1),
    ],
)
def test_the_length_of_a_count_is_no_date(text: str, kept: int) -> None:
    assert len(settled(text, Label.RELDATE)) == kept


def test_an_age_in_words_tells_an_adult() -> None:
    assert settled("Âgée de [[quatre-vingt-deux ans]]. Contrôle à [[3 mois]].", Label.AGE)[1:] == []
    assert settled("Âgé de [[six ans]]. Contrôle à [[9 mois]].", Label.AGE)[1:]


def test_the_months_of_a_child_stay_ages() -> None:
    child = Patient(birth_date=date(2023, 3, 1))
    assert settled("Revu à [[9 mois]].", Label.AGE, child)
    assert not settled("Revu à [[9 mois]].", Label.AGE, Patient(birth_date=date(1957, 3, 1)))
    assert settled("Enfant âgé de [[4 ans]], bronchiolite à [[7 mois]].", Label.AGE)[1:]


@pytest.mark.parametrize("text", ["opéré il y a [[3 ans]]", "opéré il y'a [[3 ans]]", "opéré il ya environ [[3 ans]]"])
def test_what_il_y_a_governs_becomes_a_relative_date(text: str) -> None:
    ((found, label),) = settled(text, Label.AGE)
    assert (found[:4], found[-5:], label) == ("il y", "3 ans", Label.RELDATE)


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("[[Ce dernier]] a bénéficié d'un contrôle", False),
        ("[[Cette dernière]] est restée intacte", False),
        ("[[dans le cadre du bilan]]", False),
        ("[[dans les jours]] qui suivent", False),
        ("[[dans les heures]] qui suivent", False),
        ("[[dans les 2 jours]] suivants", False),
        ("[[dans 2 mois]] après le diagnostic", False),
        ("[[dans le mois]] qui suit l'otite", False),
        ("dans les [[heures]] qui suivent", False),
        ("[[huit mois]] après l'exérèse", False),
        ("des cellules [[tantôt]] rondes, tantôt allongées", False),
        ("revoir [[dans 6 semaines]]", True),
        ("revoir [[dans 6 semaines]] après la Toussaint", True),
        ("vu [[tantôt]]", True),
        ("vu [[ce jour]] après dix jours d'hospitalisation", True),
        ("parti [[hier]]", True),
        ("la [[semaine dernière]]", True),
        ("l'[[été dernier]]", True),
        ("[[cette nuit]]-là", False),
        ("[[cette nuit]] là", False),
        ("[[cette nuit]] la patiente a dormi", True),
        ("[[cet hiver]]", True),
        ("RUPTURE DEPUIS [[CINQ]] MOIS", False),
        ("elle [[y a vécu quarante ans]]", False),
    ],
)
def test_relative_dates(text: str, stays: bool) -> None:
    assert bool(settled(text, Label.RELDATE)) is stays


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("[[Ce dernier]] a été revu", False),
        ("elle [[a fêté]] la fin du traitement", False),
        ("à [[mi]]-champs", False),
        ("l'[[ascension]] de l'épiploon", False),
        ("à l'[[Ascension]]", True),
        ("suivi les [[sept années]] suivantes", False),
        ("depuis des [[années]]", False),
        ("surtout en [[hiver]]", False),
        ("y a Delrieu au [[7]], bronchiolite", False),
        ("du 3 au [[7]], bronchiolite", True),
        ("jusqu'au [[7]]", True),
        ("chaque [[été]]", False),
        ("surtout l'[[été]] 2015", True),
        ("revue en [[hiver]]", True),
        ("[[hiver 2019]]", True),
        ("deux colis et des chaussures d'[[hiver]].", False),
        ("pneus d’[[hiver]] et chaînes", False),
        ("rhume de [[printemps]], toux", False),
        ("revue aux vacances d'[[hiver]]", True),
        ("vue à la consultation d'[[automne]]", True),
        ("opérée depuis la visite de [[printemps]]", True),
        ("depuis la fin d'[[été]]", True),
        ("au début de l'[[automne]]", True),
        ("devant le [[SAM]], sans cause", False),
        ("LE SAM ET DIM, [[SAM]] MATIN", True),
        ("à la [[Libération]]", True),
        ("depuis la [[fête des Mères]]", True),
        ("à [[Noël]]", True),
        ("depuis [[lundi]]", True),
        ("en [[mars]]", True),
    ],
)
def test_dates(text: str, stays: bool) -> None:
    assert bool(settled(text, Label.DATE)) is stays


@given(st.integers(1, 118), st.sampled_from(["homme", "femme", "patient", "patiente", "garçon", "fille", "enfant"]))
def test_the_age_of_a_person_is_kept_at_any_age(years: int, who: str) -> None:
    assert settled(f"Il s'agit d'un {who} de [[{years} ans]], suivi depuis 10 ans.", Label.AGE)
    assert settled(f"{who} âgé de [[{years} ans]] après un recul de 2 ans.", Label.AGE)


@pytest.mark.parametrize(
    ("text", "ages"),
    [
        ("Patient âgé de 67 ans, HTA depuis 10 ans, ménopausée depuis 5 ans.", ["67 ans"]),
        ("Patiente de 34 ans, revue en contrôle à 3 mois, à 6 mois, avec un recul de 2 ans.", ["34 ans"]),
        ("Nourrisson de 3 mois, fièvre depuis 2 jours.", ["3 mois"]),
        ("Appendicectomie à l'âge de 12 ans.", ["12 ans"]),
    ],
)
def test_ages_and_durations_at_the_end(detector: Detector, rules: Detector, text: str, ages: list[str]) -> None:
    for one in (detector, rules):
        (found,) = one.detect([Document("d", text)])
        assert [text[mention.start : mention.end] for mention in found] == ages


@pytest.mark.parametrize(
    "text", ["vu [[ce]]\n[[jour]]", "revu [[la semaine]]\n[[dernière]]", "chute [[il y a]]\n[[3 ans]]"]
)
def test_a_relative_date_over_two_lines_is_judged_whole(text: str) -> None:
    assert len(settled(text, Label.RELDATE)) == 2


@pytest.mark.parametrize("text", ["vu [[ce]] matin", "[[dernière]]\nconsultation", "[[ce]]\n\nfait [[jour]]"])
def test_a_word_that_tells_no_time_alone_is_dropped(text: str) -> None:
    assert ("ce", Label.RELDATE) not in settled(text, Label.RELDATE)
    assert ("dernière", Label.RELDATE) not in settled(text, Label.RELDATE)


@pytest.mark.parametrize(
    "text",
    [
        "son frère de [[3 ans]] son aîné",
        "sa sœur a [[quatre ans]] de moins",
        "mari plus âgé de [[5 ans]] (retraité)",
        "l'enfant, aîné de [[4 ans]] de sa sœur",
        "a travaillé de 1974 à 2018, soit [[44 ans]]",
        "veuve depuis 2014 ([[10 ans]])",
        "tabac de 1974 à 2004 ([[30 ans]])",
        "une sœur [[5 ans]] plus jeune",
        "Contrôle à 3 mois le 05/06/2024, à [[1 an]] le 05/03/2025",
    ],
)
def test_years_between_people_or_years_are_no_age(text: str) -> None:
    assert settled(ADULT + text, Label.AGE) == [("67 ans", Label.AGE)]


@pytest.mark.parametrize(
    "text",
    [
        "homme de [[56 ans]] de plus en plus fatigué",
        "un frère aîné de [[14 ans]], va bien",
        "dialysée depuis 2001 ([[45 ans]])",
        "mineur de 1974 à 2004 ([[56 ans]])",
        "a fêté les [[8 ans]] de sa fille",
        "opérée en 2018, soit à [[61 ans]]",
    ],
)
def test_an_age_beside_words_for_years_stays(text: str) -> None:
    assert len(settled(ADULT + text, Label.AGE)) == 2


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("Myélogramme à [[1 an]] le {{14/05/2020}}", False),
        ("Brûlé à [[1 an]] le {{14/05/1981}}", True),
        ("Sa fille opérée à [[2 ans]] le {{14/05/2020}}", True),
        ("Opéré à [[40 ans]] le {{14/05/2020}}", True),
        ("Donneur décédé à [[15 ans]] le {{14/05/2020}}", True),
    ],
)
def test_a_delay_that_no_age_of_the_patient_then_can_be_is_none(text: str, kept: bool) -> None:
    ahead, _, rest = text.partition("[[")
    age, _, rest = rest.partition("]]")
    between, _, rest = rest.partition("{{")
    bare, start = f"{ahead}{age}{between}{rest.removesuffix('}}')}", len(ahead + age + between)
    aged = Mention(len(ahead), len(ahead + age), Label.AGE, 0.9)
    dated = Mention(start, start + 10, Label.DATE, 0.9)
    reading = Reading(Document("d", bare, Patient(birth_date=date(1980, 2, 1)), date(2024, 1, 8)))
    assert (aged in drop_durations(reading, [aged, dated])) is kept

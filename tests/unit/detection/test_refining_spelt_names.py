"""Names spelt letter by letter and numbers in words: identifiers are found whole, results stay."""

from __future__ import annotations

import pytest

from deid.detection import Detector
from deid.domain.document import Document
from deid.domain.labels import NAMES, Label


def found_in(detector: Detector, text: str) -> list[tuple[Label, str]]:
    (mentions,) = detector.detect([Document("d", text)])
    return [(one.label, text[one.start : one.end]) for one in mentions]


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("bien amicalement docteur pierrick abgrall a b g r a deux l chirurgie vasculaire", "a b g r a deux l"),
        ("vu ce jour monsieur joseph monnerville m o n n e r v i l l e né à cayenne", "m o n n e r v i l l e"),
        ("adressée par le docteur le guen l e plus loin g u e n médecin scolaire", "l e plus loin g u e n"),
        ("Madame Szymanski S Z Y M A N S K I, prénom Halina.", "S Z Y M A N S K I"),
        ("je revois madame hoffmann h o double f m a n double n ce matin", "h o double f m a n double n"),
        ("merci pour monsieur salière s a l i e accent grave r e qui va mieux", "s a l i e accent grave r e"),
        ("madame Hélène Bénézet b e accent aigu n e accent aigu z e t", "b e accent aigu n e accent aigu z e t"),
        ("concernant madame wagner double v a g n e r née à metz", "double v a g n e r"),
        ("le docteur lefrançois l e f r a n c cédille o i s nous écrit", "l e f r a n c cédille o i s"),
    ],
)
def test_letters_that_spell_the_name_before_are_a_name_of_their_own(
    detector: Detector, text: str, letters: str
) -> None:
    assert letters in [said for label, said in found_in(detector, text) if label in NAMES]


@pytest.mark.parametrize(
    "text",
    [
        "M. Martin prend des vitamines A B C D E chaque jour.",
        "Bilan de Mme Perrin : hépatites A B C E négatives.",
        "M. Carrère a les groupes a b o accent mis sur la compatibilité.",
    ],
)
def test_other_letters_stay(detector: Detector, text: str) -> None:
    assert all(len(said.split()) < 3 for _, said in found_in(detector, text))


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("revu monsieur Etchegaray e t c h e g a r a y Philibert que tous appellent Fifi", ["Philibert"]),
        ("concernant madame wagner double v a g n e r louise née à metz", ["louise"]),
        ("je revois madame hoffmann h o double f m a n double n Insuline reprise", []),
        ("vu monsieur abgrall a b g r a deux l rose des joues et fièvre", []),
    ],
)
def test_a_first_name_behind_the_letters_is_a_name(detector: Detector, text: str, given: list[str]) -> None:
    names = [said for label, said in found_in(detector, text) if label in NAMES]
    behind = names[[(" " in one and one[1] == " ") or one.startswith("double ") for one in names].index(True) + 1 :]
    assert [one for one in behind if one in ("Philibert", "louise", "Insuline", "rose")] == given


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("bonjour concernant madame fleury avec un y colette née le trois mai", ["y"]),
        ("Je vois M. Lefèvre avec un è, 45 ans.", ["è"]),
        ("merci de m'avoir confié monsieur kuntz avec un k comme kilo né à metz", ["k comme kilo"]),
        ("Mme Thibault avec un H et un L, dossier papier aux archives.", ["H", "L"]),
        ("vu par le docteur garret avec deux r deux t puis une ostéotomie", ["r", "t"]),
        ("le dossier est au nom de monsieur batiste sans p ne pas fusionner", ["p"]),
    ],
)
def test_letters_that_are_told_of_a_name_are_names(detector: Detector, text: str, letters: list[str]) -> None:
    found = [said for label, said in found_in(detector, text) if label in NAMES]
    assert [said for said in found if said[1:2] in ("", " ")] == letters


@pytest.mark.parametrize(
    "text",
    [
        "M. Martin sort avec un D-dimère négatif, avec un T à 38 et avec un K à 4,2.",
        "M. Martin sort avec un drain de Redon, sans O2.",
        "M. Martin, sortie avec un b ; M. Kuntz sans k.",
    ],
)
def test_letters_of_results_or_that_the_name_has_not_stay(detector: Detector, text: str) -> None:
    assert all(len(said) > 1 for label, said in found_in(detector, text) if label in NAMES)


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("ips à zéro virgule cinquante huit à gauche et zéro virgule quatre vingt quatorze à droite", "quatre vingt"),
        ("sérologie vih positive cd4 à quatre vingt sept depuis le bilan", "quatre vingt sept"),
        ("Dépistage : T21 1/4200, clarté nucale normale.", "1/4200"),
        ("Plaq. 164 142 128 sur trois bilans.", "142"),
        ("PANSEMENTS LU-ME-VE PAR L'IDE DU SECTEUR.", "LU-ME-VE"),
        ("REDUCTION PAR DAVIER DE WEBER PUIS CLOU VERROUILLE.", "WEBER"),
        ("VIGNERON RETRAITE, MARIE A CHRISTIANE, DEUX ENFANTS.", "MARIE"),
    ],
)
def test_results_said_in_words_and_shortened_words_stay(detector: Detector, text: str, stays: str) -> None:
    assert all(stays not in said for _, said in found_in(detector, text))


@pytest.mark.parametrize(
    ("text", "label", "goes"),
    [
        ("Deux filles : Céline (Lille, professeur) et Virginie, épouse Caron.", Label.CITY, "Lille"),
        ("Ép. Jocelyne, 2 filles : Claire (Mamers, cadre) et Virginie.", Label.CITY, "Mamers"),
        ("né en soixante-douze, opéré en deux mille neuf de la hanche gauche", Label.DATE, "deux mille neuf"),
        ("son numéro est le zéro six douze trente-quatre cinquante-six dix", Label.PHONE, "zéro six douze"),
    ],
)
def test_towns_dates_and_numbers_of_persons_go(detector: Detector, text: str, label: Label, goes: str) -> None:
    assert any(one is label and goes in said for one, said in found_in(detector, text))


def test_a_titled_word_is_no_town(detector: Detector) -> None:
    text = "Vu par le Dr Lille ce matin. Lille, qui suit Mme Roche, confirme."
    assert Label.CITY not in {label for label, _ in found_in(detector, text)}


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Mme Martin, pas Martain, vue ce jour. Mme Martin va bien.", ["Martin", "Martain"]),
        ("Courrier adressé à Mme Martin, pas Martain : corriger le dossier.", ["Martin", "Martain"]),
        ("Il s'agit de Mme Lecarpentier, et non Lecarpantier. Reçue hier.", ["Lecarpentier", "Lecarpantier"]),
        ("Attention : M. Delamare (pas Delamarre) est allergique.", ["Delamare", "Delamarre"]),
        ("Dr Tanguy, pas le Dr Tangui. Revoir le Dr Tanguy.", ["Tanguy", "Tangui"]),
        ("madame rouvière et non pas rouvier est hospitalisée pour une chute à domicile", ["rouvière", "rouvier"]),
        ("Patient Dubreuil, lire Dubreil, né le 12/03/1950.", ["Dubreuil", "Dubreil"]),
    ],
)
def test_a_wrong_spelling_is_a_name_of_the_same_kind(detector: Detector, text: str, names: list[str]) -> None:
    found = [(label, said) for label, said in found_in(detector, text) if label in NAMES]
    assert {said.split()[-1] for _, said in found} == set(names)
    assert len({label for label, _ in found}) == 1


@pytest.mark.parametrize(
    ("text", "stays"),
    [
        ("MME MARIE, NON MARIEE, VIT SEULE.", "MARIEE"),
        ("madame marie, non mariee, vit seule avec son chat depuis des mois", "mariee"),
        ("M. Rousseau, pas rousseur ni lésion.", "rousseur"),
        ("Mme Colin, pas colique, transit normal.", "colique"),
    ],
)
def test_other_words_behind_a_negation_stay(detector: Detector, text: str, stays: str) -> None:
    assert all(stays not in said for label, said in found_in(detector, text) if label in NAMES)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("M A R T I N Martin, né le 12/03/1950", "M A R T I N Martin"),
        ("je répète M O U L I N, Moulin", "M O U L I N"),
        ("S A L M O N Salmon, vu ce jour pour asthme", "S A L M O N Salmon"),
        ("M A Dupont vu en consultation ce jour", "A Dupont"),
    ],
)
def test_letters_ahead_of_the_name_are_a_part_of_it(detector: Detector, text: str, name: str) -> None:
    assert name in [said for label, said in found_in(detector, text) if label in NAMES]

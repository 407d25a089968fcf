"""Altered copies of annotated documents: what must stay true of every copy, and what alterations do."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import fields, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from deid.domain.document import Document, Patient
from deid.domain.labels import Label
from deid.french.check_digits import nir_key
from deid.french.folding import fold_line
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.markup import parse_marked
from nocturne_lab.learning.augmentation import RATES, Rates, multiply

LETTER = """[[ORG|CHU de Poitiers]]
[[STREET|2 rue de la Milétrie]]
[[ZIP|86021]] [[CITY|POITIERS CEDEX]]
Tél. [[PHONE|05 49 44 44 44]], [[EMAIL|p.moreau@chu-poitiers.fr]]

Dr [[DOCTOR|Paul MOREAU]], RPPS [[RPPS|10003847216]]

Le [[DATE|12 mars 2021]], j'ai revu Mme [[PATIENT|Hélène GIRARDOT]], [[AGE|67 ans]], née [[PATIENT|PETIT]] le \
[[DATE|04/05/1953]] à [[CITY|Niort]], NIR [[NIR|2 53 05 79 191 003 21]], IPP [[IPP|00483116]], suivie pour une maladie \
de Parkinson depuis [[DATE|2015]] et un score de Glasgow à 15, traitée par Kardegic 75 mg.

Son mari, M. [[PERSON|Jean-Marc Girardot]], l'a trouvée au sol [[RELDATE|il y a 3 jours]]. TA 12/7, Hb 11,2 g/dl.
Mme [[PATIENT|Girardot]] habite [[CITY|Lusignan]] ([[LOC|Vienne]]).

Dr [[DOCTOR|P. Moreau]]
"""
NOISE = (
    "lowered unaccented shouted shouted_lines mistyped scanned wrapped unwrapped spaced tightened respelt_negatives "
    "dropped_civility fields_joined fields_split squeezed"
)
QUIET = replace(RATES, substituted=1.0, **dict.fromkeys(NOISE.split(), 0.0))
SHAPED = replace(QUIET, reshaped_name=0.0, lowered_name=0.0)
STILL = replace(QUIET, substituted=0.0)


def gold(marked: str, name: str = "a-1") -> GoldDocument:
    text, mentions = parse_marked(marked, name)
    return GoldDocument(Document(name, text, Patient(last_name="Girardot")), mentions, "a")


def surfaces(document: GoldDocument, label: Label | None = None) -> list[str]:
    text = document.document.text
    return [text[m.start : m.end] for m in document.mentions if label in (None, m.label)]


def copies(rates: Rates, count: int = 40, marked: str = LETTER) -> list[GoldDocument]:
    return list(multiply([gold(marked)], count, 11, rates))


def outside(document: GoldDocument) -> str:
    """The text that is not marked, mentions replaced by a bar."""
    text, pieces, at = document.document.text, [], 0
    for mention in document.mentions:
        pieces.append(text[at : mention.start])
        at = mention.end
    return "|".join([*pieces, text[at:]])


words = st.text(st.characters(exclude_characters="[]|\n\r\x1c\x1d\x1e\x85", exclude_categories=["Cs"]), min_size=1)
surface = st.one_of(
    words.filter(lambda text: text.strip()).map(str.strip),
    st.sampled_from([*surfaces(gold(LETTER)), "D U P O N T", "hklein", "J.-P. L.", "le 3", "12/03", "Noël", "2B", "ß"]),
)
part = st.one_of(
    words,
    st.sampled_from(
        ["\n", " ", "\n\n", " de ", "d'", " à ", "M. ", "Dr ", " syndrome de Crohn ", " Doliprane ", " 42 "]
    ),
    st.builds(lambda label, text: f"[[{label}|{text}]]", st.sampled_from(list(Label)), surface),
)
documents = st.lists(part, max_size=12).map("".join)
chances = st.floats(0, 1)
any_rates = st.builds(Rates, **{field.name: chances for field in fields(Rates)})


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents, any_rates, st.integers(0, 5))
def test_mentions_of_a_copy_are_exact(marked: str, rates: Rates, seed: int) -> None:
    original = gold(marked)
    for copy in multiply([original], 2, seed, rates):
        text, end = copy.document.text, 0
        for mention in copy.mentions:
            assert end <= mention.start < mention.end <= len(text)
            assert not re.search(r"[\r\n]", text[mention.start : mention.end])
            assert text[mention.start : mention.end].strip()
            end = mention.end
        before, after = (Counter(m.label for m in one.mentions) for one in (original, copy))
        assert not before - after, "a mention was lost"
        assert set(after) == set(before)
        assert [m.label for m in copy.mentions if before[m.label] == after[m.label]] == [
            m.label for m in original.mentions if before[m.label] == after[m.label]
        ]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(documents, any_rates)
def test_numbers_outside_mentions_change_by_scanning_only(marked: str, rates: Rates) -> None:
    original = gold(marked)
    expected = [re.findall("[0-9]+", piece) for piece in outside(original).split("|")]
    for copy in multiply([original], 2, 3, replace(rates, scanned=0.0)):
        assert re.findall("[0-9]+", outside(copy)) == [number for piece in expected for number in piece]


def test_the_same_seed_gives_the_same_copies_whatever_else_is_multiplied() -> None:
    other = gold("M. [[PATIENT|Durand]]", "b-1")
    assert list(multiply([gold(LETTER)], 5, 1)) == list(multiply([other, gold(LETTER)], 5, 1))[5:]
    assert list(multiply([gold(LETTER)], 5, 1)) != list(multiply([gold(LETTER)], 5, 2))


def test_copies_are_named_after_their_document_and_know_no_patient() -> None:
    made = list(multiply([gold(LETTER)], 3, 1))
    assert [copy.document.id for copy in made] == ["a-1~1", "a-1~2", "a-1~3"]
    assert {copy.author for copy in made} == {"a"}
    assert all(copy.document.patient == Patient() for copy in made)


def test_no_copies_and_no_alteration() -> None:
    assert list(multiply([gold(LETTER)], 0, 1)) == []
    assert {copy.document.text for copy in copies(STILL, 3)} == {gold(LETTER).document.text}


def test_a_name_is_replaced_alike_wherever_it_stands_and_keeps_its_shape() -> None:
    for copy in copies(SHAPED):
        full, birth, short = surfaces(copy, Label.PATIENT)
        doctor, signature = surfaces(copy, Label.DOCTOR)
        husband = surfaces(copy, Label.PERSON)[0]
        surname = full.split(" ", 1)[1]
        assert surname.isupper()
        assert birth.isupper()
        assert fold_line(short) == fold_line(surname)
        assert fold_line(husband).endswith(fold_line(surname))
        assert re.match(r"[^ ]+-[^ ]+ ", husband), "a compound first name stays one"
        assert signature[1] == "."
        assert signature[0] == doctor[0]
        assert fold_line(signature[3:]) == fold_line(doctor.split(" ", 1)[1])


def test_names_take_other_shapes() -> None:
    names = [surfaces(copy, Label.DOCTOR)[0] for copy in copies(replace(SHAPED, reshaped_name=1.0), 200)]
    shapes = {re.sub("A{2,}", "AA", re.sub("[A-ZÀ-Ý]", "A", re.sub("[a-zß-ÿ]+", "a", name))) for name in names}
    assert {"Aa AA", "Aa Aa", "AA Aa", "A. AA", "Aa A."} <= shapes


def test_rare_and_invented_surnames_are_met_often() -> None:
    drawn = Counter(surfaces(copy, Label.PATIENT)[2] for copy in copies(QUIET, 300))
    assert len(drawn) > 280


def test_a_postal_code_is_one_of_its_town() -> None:
    from deid.reference.packaged import packaged_rows

    codes = {
        (fold_line(row["name"]).replace("-", " "), code)
        for row in packaged_rows("communes")
        for code in row["zips"].split("|")
    }
    known = 0
    for copy in copies(replace(QUIET, saint_shortened=0.0)):
        town = surfaces(copy, Label.CITY)[0].removesuffix(" CEDEX")
        known += (fold_line(town).replace("-", " "), surfaces(copy, Label.ZIP)[0]) in codes
    assert known >= 38, "districts are written in several ways, all others match"


@pytest.mark.parametrize("label", [Label.NIR, Label.IPP, Label.PHONE, Label.RPPS, Label.STREET, Label.ZIP, Label.AGE])
def test_numbers_are_redrawn(label: Label) -> None:
    assert len({tuple(surfaces(copy, label)) for copy in copies(QUIET)}) > 20


def test_a_social_security_number_keeps_its_layout_and_a_valid_key() -> None:
    for copy in copies(QUIET):
        number = surfaces(copy, Label.NIR)[0]
        assert re.fullmatch(r"[12] \d\d \d\d \d\d \d{3} \d{3} \d\d", number)
        assert nir_key(number.replace(" ", "")[:13]) == number[-2:]


def test_dates_take_other_forms() -> None:
    shapes = {re.sub(r"\d", "9", surfaces(copy, Label.DATE)[1]) for copy in copies(QUIET, 400)}
    assert {"99/99/9999", "99.99.9999", "9999-99-99", "99/99/99"} <= shapes
    assert any(re.search("[a-z]{3}", shape) for shape in shapes)


def test_an_address_is_built_from_the_name_of_its_bearer() -> None:
    for copy in copies(SHAPED):
        surname = surfaces(copy, Label.DOCTOR)[0].split(" ", 1)[1]
        bare = re.sub("[^a-z]", "", fold_line(surname))
        assert surfaces(copy, Label.EMAIL)[0].startswith(f"p.{bare}@")


def test_what_a_machine_wrote_keeps_its_form() -> None:
    for copy in copies(QUIET, 60, "PID|[[PATIENT|ROUX]]|[[DATE|19530504]]|[[DATE|2021-03-12]]T08:10"):
        assert re.fullmatch(r"\d{8} \d{4}-\d\d-\d\d", " ".join(surfaces(copy, Label.DATE)))


def test_grammar_follows_the_town() -> None:
    marked = "Il vient d'[[CITY|Agen]] et va à [[CITY|Pau]], maire de [[CITY|Lyon]]."
    for copy in copies(QUIET, 200, marked):
        text = copy.document.text
        assert not re.search(r"d'[BCDFGJKLMNPQRSTVWXZ]| de [AEIOUÉ]|(?:à|de) Les? ", text)


def test_an_organisation_keeps_the_words_of_its_kind_and_follows_its_town() -> None:
    marked = "[[ORG|CH de Niort]], [[ORG|laboratoire]], [[ORG|EHPAD Les Tilleuls]], domiciliée à [[CITY|Niort]]."
    made = [surfaces(copy) for copy in copies(replace(QUIET, other_kind=0.0), 60, marked)]
    assert {kind for _, kind, _, _ in made} == {"laboratoire"}
    assert all(home.startswith("EHPAD ") for _, _, home, _ in made)
    assert len({home for _, _, home, _ in made}) > 40
    for hospital, _, _, town in made:
        assert re.fullmatch(rf"CH (de |d')({re.escape(town)})|CH (du|des|de la) .+", hospital)
    others = {surfaces(copy)[0].split()[0] for copy in copies(replace(QUIET, other_kind=1.0), 60, marked)}
    assert len(others) > 5, "a kind is exchanged for one of the same article"


def test_an_area_stays_of_its_kind_and_an_unknown_one_stays() -> None:
    marked = "[[LOC|VIENNE]], [[LOC|canton du Faouët]], [[LOC|Xyz]]."
    made = [surfaces(copy) for copy in copies(QUIET, 60, marked)]
    assert all(department.isupper() and canton.startswith("canton d") for department, canton, _ in made)
    assert min(len({row[at] for row in made}) for at in (0, 1)) > 10
    assert {unknown for _, _, unknown in made} == {"Xyz"}


def test_a_postal_code_keeps_its_country_and_a_town_its_cedex() -> None:
    made = [surfaces(copy) for copy in copies(QUIET, 60, "[[ZIP|F-79000]] [[CITY|Niort Cedex 3]], [[CITY|Cedex]]")]
    assert all(re.fullmatch(r"F-\d{5}", code) for code, _, _ in made)
    assert all(re.fullmatch(r".+ Cedex [1-9]", town) for _, town, _ in made)
    assert {alone for _, _, alone in made} == {"Cedex"}


def test_hamlets_outside_every_list_are_met() -> None:
    made = {surfaces(copy)[0] for copy in copies(replace(QUIET, respelt_street=0.0), 80, "[[STREET|Les Lilas]]")}
    assert len(made) > 60
    assert any(name.startswith(("Le ", "Les ", "La ", "Chez ")) for name in made)
    assert any(name.startswith("Ker") for name in made)


@pytest.mark.parametrize(
    ("relative", "others"),
    [
        ("avant-hier", r"hier.*|avant-hier.*|ce (matin|midi)"),
        ("Il y a trois semaines", r"Il y a \w+(-\w+)* (semaines|heures)"),
        ("IL Y A 3 JOURS", r"IL Y A \d+ (JOURS|MOIS|ANS)"),
        ("lundi dernier", r"\w+di dernier|dimanche dernier"),
        ("mars dernier", r"\w+ dernier"),
        ("naguère", "naguère"),
    ],
)
def test_a_relative_date_is_exchanged_for_one_of_its_kind(relative: str, others: str) -> None:
    made = {surfaces(copy)[0] for copy in copies(QUIET, 60, f"Vu [[RELDATE|{relative}]].")}
    assert all(re.fullmatch(others, text) for text in made), made
    assert (made == {relative}) is (relative == others)


@pytest.mark.parametrize(
    ("age", "others"),
    [
        ("dix-huit mois", r"[\w -]+ mois"),
        ("2 ans et demi", r"\d+ ans et demie?"),
        ("3 ans et 4 mois", r"\d+ ans? et \d+ mois"),
        ("jeune", "jeune"),
    ],
)
def test_an_age_keeps_its_unit(age: str, others: str) -> None:
    made = {surfaces(copy)[0] for copy in copies(QUIET, 60, f"Enfant de [[AGE|{age}]].")}
    assert all(re.fullmatch(others, text) for text in made), made
    assert (made == {age}) is (age == others)


def test_eponyms_and_drugs_vary_and_stay_unmarked() -> None:
    made = copies(replace(STILL, respelt_negatives=1.0))
    diseases = {re.search(r"maladie (?:de |d')(\S+)", copy.document.text) for copy in made}
    assert len({found.group(1) for found in diseases if found}) > 10
    assert len({re.search(r"par (\S+) 75", copy.document.text).group(1) for copy in made}) > 5  # type: ignore[union-attr]
    assert {tuple(surfaces(copy)) for copy in made} == {tuple(surfaces(gold(LETTER)))}


def test_brands_inside_sentences_vary_and_common_words_do_not() -> None:
    marked = "Posé ce stent Xience hier. Fracture du Fémur chez M. [[PATIENT|Roux]], drain de Redon retiré."
    made = copies(replace(STILL, respelt_negatives=1.0, swapped_brand=1.0), 60, marked)
    assert len({copy.document.text.split()[3] for copy in made}) > 20
    assert all("du Fémur chez" in copy.document.text and surfaces(copy) == ["Roux"] for copy in made)


def test_a_civility_may_be_missing() -> None:
    made = copies(replace(STILL, dropped_civility=1.0), 1)[0]
    assert not re.search(r"M\. |Mme |Dr ", made.document.text)
    assert surfaces(made) == surfaces(gold(LETTER))


def test_wrapped_lines_are_short_and_cut_mentions() -> None:
    made = copies(replace(STILL, wrapped=1.0, hyphenated=0.0))
    for copy in made:
        assert max(map(len, copy.document.text.split("\n"))) <= 90
        assert copy.document.text.split() == gold(LETTER).document.text.split()
    assert any(len(copy.mentions) > len(gold(LETTER).mentions) for copy in made)


def test_wrapped_lines_are_joined_again() -> None:
    marked = "Le patient a bien récupéré après son intervention\nchirurgicale. Vu par\n- M. [[PERSON|Roux]] chez lui"
    made = copies(replace(STILL, unwrapped=1.0), 1, marked)[0]
    assert made.document.text.startswith("Le patient a bien récupéré après son intervention chirurgicale. Vu par\n-")
    assert surfaces(made) == ["Roux"]


def test_fields_are_put_on_one_line_and_cut_again() -> None:
    made = copies(replace(STILL, fields_joined=1.0))
    assert {surface for copy in made for surface in surfaces(copy)} == set(surfaces(gold(LETTER)))
    assert any(re.search(r"Milétrie[^\n]+86021", copy.document.text) for copy in made)
    halves = copies(replace(STILL, fields_joined=1.0), 20, "[[STREET|3 rue des]]\n[[STREET|Lilas]]")
    assert {copy.document.text for copy in halves} == {"3 rue des\nLilas"}
    line = "Nom : [[PATIENT|ROUX]] | Âge : [[AGE|30 ans]]   IPP [[IPP|0012]]"
    cut = {copy.document.text.count("\n") for copy in copies(replace(STILL, fields_split=1.0), 30, line)}
    assert cut == {0, 1, 2}


def test_blanks_after_signs_may_be_missing() -> None:
    made = copies(replace(STILL, squeezed=1.0, squeezed_space=1.0), 1, "Tél.: [[PHONE|0549]], vu: Dr. [[DOCTOR|Roux]]")
    assert made[0].document.text == "Tél.:0549, vu:Dr.Roux"
    assert surfaces(made[0]) == ["0549", "Roux"]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("lowered", str.islower),
        ("shouted", str.isupper),
        ("unaccented", str.isascii),
        ("tightened", lambda text: "\n\n" not in text),
        ("spaced", lambda text: "  " in text),
    ],
)
def test_noise_of_a_whole_copy(name: str, told: object) -> None:
    assert callable(told)
    assert told(copies(replace(STILL, **{name: 1.0}), 1)[0].document.text)
    assert not told(gold(LETTER).document.text)


@pytest.mark.parametrize("name", ["mistyped", "scanned"])
def test_slips_and_misreadings_leave_most_words_alone(name: str) -> None:
    made = copies(replace(STILL, **{name: 1.0}, typo=0.1), 20)
    before = Counter(gold(LETTER).document.text.split())
    for copy in made:
        kept = before & Counter(copy.document.text.split())
        assert kept.total() >= 0.5 * before.total()
    assert len({copy.document.text for copy in made}) > 10


def test_some_lines_are_in_capitals() -> None:
    made = copies(replace(STILL, shouted_lines=1.0, shouted_line=0.3), 20)
    shouted = [[line.isupper() for line in copy.document.text.split("\n") if line] for copy in made]
    assert any(any(lines) and not all(lines) for lines in shouted)
    assert {fold_line(copy.document.text) for copy in made} == {fold_line(gold(LETTER).document.text)}

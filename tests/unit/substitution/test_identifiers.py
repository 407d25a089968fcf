"""Phones, e-mail addresses, URLs and numbers: layout kept, ranges reserved for fiction, valid check digits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, datetime

import pytest
from stdnum import iban, luhn
from stdnum.fr import nir

from deid.config.policy import Policy, load
from deid.domain.document import Document, Mention, Patient
from deid.domain.labels import Label
from deid.french.check_digits import iban_digits, luhn_digit, nir_holds, nir_key
from deid.french.numerals import NUMBER_WORDS
from deid.reference import CommuneTable
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from tests.unit.substitution.examples import KEY, changed, marked, surrogates

KEYS = [f"patient-{number}" for number in range(12)]
FICTION = ("019900", "026191", "035301", "046571", "053649", "063998")


def _one(substitutor: Substitutor, label: str, text: str, key: str = "p1", before: str = "") -> str:
    return surrogates(substitutor.substitute(*marked(f"{before}: [[{label}|{text}]].", patient=Patient(key=key))))[-1]


@pytest.mark.parametrize(
    "number",
    [
        "03 80 29 30 31",
        "03.80.29.30.31",
        "0380293031",
        "03-80-29-30-31",
        "06 12 34 56 78",
        "07 12 34 56 78",
        "0262 00 41 77",
    ],
)
@pytest.mark.parametrize("key", KEYS)
def test_a_phone_is_of_a_fictional_range_in_the_same_layout(number: str, key: str, substitutor: Substitutor) -> None:
    found = _one(substitutor, "PHONE", number, key)
    digits = re.sub(r"\D", "", found)
    assert re.sub(r"\d", "0", found) == re.sub(r"\d", "0", number)
    assert digits.startswith(FICTION)
    assert digits != re.sub(r"\D", "", number)
    if number[1] in "36":
        assert digits[1] == number[1]


def test_a_phone_in_international_form(substitutor: Substitutor) -> None:
    assert _one(substitutor, "PHONE", "+33 3 80 29 30 31").startswith("+33 3 53 01 ")
    assert _one(substitutor, "PHONE", "+33 (0)3 80 29 30 31").startswith("+33 (0)3 53 01 ")
    abroad = _one(substitutor, "PHONE", "+41 22 555 01 88")
    assert re.fullmatch(r"\+\d{1,3} 00 0\d\d \d\d \d\d", abroad)
    assert not abroad.startswith(("+41 ", "+33"))


def test_a_phone_cut_by_a_line_stays_cut(substitutor: Substitutor) -> None:
    text = "06 12 34\n56 78"
    found = substitutor.substitute(Document("d", text), [Mention(0, len(text), Label.PHONE)])
    assert re.fullmatch(r"06 39 98\n\d\d \d\d", found.text)


@pytest.mark.parametrize("key", KEYS)
def test_another_s_phone_does_not_become_the_patient_s(key: str, substitutor: Substitutor) -> None:
    fictional = [f"06 39 98 {number // 100:02d} {number % 100:02d}" for number in range(10_000)]
    free = fictional.pop(4321)
    patient = Patient(key=key, phones=("063998", *fictional))
    assert surrogates(substitutor.substitute(*marked("[[PHONE|06 12 34 56 78]]", patient=patient))) == [free]


def test_a_dictated_phone_is_dictated(substitutor: Substitutor) -> None:
    found = _one(substitutor, "PHONE", "zéro six trente neuf quatre vingt dix huit cinquante cinq zéro trois")
    assert re.fullmatch(r"zéro six trente neuf quatre vingt dix huit [a-zé ]+", found)


def test_a_dictated_number_stays_words(substitutor: Substitutor) -> None:
    found = _one(substitutor, "ID", "numéro sept sept un quatre")
    assert found.startswith("numéro ")
    assert found != "numéro sept sept un quatre"
    assert all(word in NUMBER_WORDS for word in found.replace("é", "e").split()[1:])


def test_an_email_follows_the_name(substitutor: Substitutor) -> None:
    name, full, short, office = surrogates(
        substitutor.substitute(
            *marked(
                "Dr [[DOCTOR|Hervé Lacour]] [[EMAIL|herve.lacour@chu-dijon.fr]] [[EMAIL|h.lacour@chu-dijon.fr]] "
                "[[EMAIL|secretariat@chu-dijon.fr]]"
            )
        )
    )
    first, last = name.lower().split()
    domain = full.partition("@")[2]
    assert domain.endswith(".example")
    assert full.partition("@")[0].split(".")[1] == last
    assert short == f"{full[0]}.{last}@{domain}"
    assert office == f"secretariat@{domain}"
    assert first


def test_an_address_on_the_web_leads_nowhere(substitutor: Substitutor) -> None:
    found = _one(substitutor, "URL", "https://resultats.arvor-bio.fr/p/K7XW-22Q")
    assert re.fullmatch(r"https://[a-z-]+\d*\.example/[a-z]/[A-Z]\d[A-Z]{2}-\d\d[A-Z]", found)


@pytest.mark.parametrize("text", ["477 820 116 OOO27", "lO1O3344O78", "FR l2 3456 789O", "8l I3O 447"])
@pytest.mark.parametrize("key", KEYS[:4])
def test_digits_that_a_scanner_made_letters_are_drawn_as_digits(text: str, key: str, substitutor: Substitutor) -> None:
    found = _one(substitutor, "ID", text, key)
    assert re.sub(r"[\dOolI]", "0", found[2:]) == re.sub(r"[\dOolI]", "0", text[2:])
    assert sum(map(str.isalpha, found)) <= sum(char.isalpha() and char not in "OolI" for char in text)


@pytest.mark.parametrize(
    "text", ["158032105401265", "1 58 03 21 054 012 65", "1.58.03.21.054.012/65", "1580321054012 65"]
)
@pytest.mark.parametrize("key", KEYS)
def test_a_nir_holds_its_key_sex_and_layout(text: str, key: str, substitutor: Substitutor) -> None:
    found = _one(substitutor, "NIR", text, key)
    assert re.sub(r"[0-9AB]", "0", found) == re.sub(r"\d", "0", text)
    assert nir.is_valid(re.sub(r"[^0-9AB]", "", found))
    assert found[0] == "1"
    assert found != text


@pytest.mark.parametrize("key", KEYS)
def test_a_nir_tells_the_moved_birth_date(key: str, substitutor: Substitutor) -> None:
    patient = Patient(key=key, birth_date=date(1958, 3, 12), sex="M")
    born, number = surrogates(
        substitutor.substitute(*marked("né le [[DATE|12/03/1958]], [[NIR|1 58 03 21 054 012 65]]", patient=patient))
    )
    assert number[2:7] == f"{born[8:]} {born[3:5]}"


def test_a_corsican_nir_and_its_separate_key(substitutor: Substitutor) -> None:
    number, key = surrogates(substitutor.substitute(*marked("[[NIR|2 85 09 2B 033 114]] clé [[NIR|12]]")))
    plain = number.replace(" ", "")
    assert nir_key(plain) == key


@pytest.mark.parametrize("text", ["10003847216", "10 10 05 52 61 8"])
def test_an_rpps_holds_its_luhn_key(text: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        found = _one(substitutor, "RPPS", text, key)
        assert luhn.is_valid(re.sub(r"\D", "", found))
        assert found.startswith("10")
        assert found != text


def test_an_iban_holds_its_key(substitutor: Substitutor) -> None:
    for key in KEYS:
        found = _one(substitutor, "ID", "FR76 3000 6000 0112 3456 7890 189", key)
        assert iban.is_valid(found, check_country=False)
        assert found.startswith("FR")


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("EF-550-ZC", r"[A-HJ-NP-TV-Z]{2}-\d{3}-[A-HJ-NP-TV-Z]{2}"),
        ("172.18.40.66", r"(192\.0\.2|198\.51\.100|203\.0\.113)\.\d{1,3}"),
        ("2a01:cb00:4471:9c00::1f", r"2001:db8:[0-9a-f:]+"),
        ("X2291-0047718", r"[A-Z]\d{4}-\d{7}"),
        ("jm7d41", r"[a-z]{2}\d[a-z]\d\d"),
        ("0417883", r"\d{7}"),
    ],
)
def test_an_identifier_keeps_its_layout(text: str, shape: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        found = _one(substitutor, "ID", text, key)
        assert re.fullmatch(shape, found), found
        assert found != text


@pytest.mark.parametrize(
    ("text", "form"),
    [("24-3-25", "%d-%m-%y"), ("12/04/26", "%d/%m/%y"), ("31.12.2025", "%d.%m.%Y"), ("2024-02-29", "%Y-%m-%d")],
)
def test_a_number_that_reads_as_a_day_becomes_a_day(text: str, form: str, substitutor: Substitutor) -> None:
    found = {_one(substitutor, "ID", text, key) for key in KEYS}
    assert len({datetime.strptime(one, form) for one in found}) > len(KEYS) / 2
    assert {re.sub(r"\d", "0", one) for one in found} == {re.sub(r"\d", "0", text)}


def test_a_number_that_is_no_day_is_drawn_from_all_numbers(substitutor: Substitutor) -> None:
    found = [_one(substitutor, "ID", "86-5-35", key) for key in KEYS]
    assert max(int(one.split("-")[0]) for one in found) > 31


def test_a_number_is_alike_in_all_documents_of_a_patient(substitutor: Substitutor) -> None:
    assert _one(substitutor, "IPP", "0081774523") == _one(substitutor, "IPP", "0081774523", before="IPP permanent")


def test_keys() -> None:
    assert luhn_digit("7992739871") == "3"
    assert nir_key("2850921055114") == f"{97 - 2850921055114 % 97:02d}"
    assert iban_digits("GB", "WEST12345698765432") == "82"


@pytest.mark.parametrize(
    ("text", "head", "gone"),
    [
        ("CHU de Pondichéry", "CHU d", "Pondichéry"),  # a town of France may return
        ("EHPAD Les Tilleuls", "EHPAD ", "Tilleuls"),
        ("CENTRE HOSPITALIER DE MEKNÈS", "CENTRE HOSPITALIER D", "MEKNÈS"),
        ("clinique Saint-Budoc", "clinique ", "Budoc"),
        ("MDPH du Morbihan", "MDPH d", "Morbihan"),
        ("Géodis", "", "Géodis"),
        ("l'abbaye", "l'abbaye ", "zzz"),
    ],
)
def test_an_organisation_keeps_its_kind_only(text: str, head: str, gone: str, substitutor: Substitutor) -> None:
    for key in KEYS:
        found = _one(substitutor, "ORG", text, key)
        assert found.startswith(head), found
        assert gone.lower() not in found.lower()


@pytest.mark.parametrize(
    ("markup", "masked"),
    [
        ("NIR [[NIR|2 44 O4 59 l83 O26]] clé [[NIR|ll]]", False),
        ("NIR [[NIR|ll]]", False),
        ("NIR : [[NIR|idem]]", True),
        ("NIR : [[NIR|voir dossier]]", True),
    ],
)
def test_a_nir_that_is_no_number_is_masked_and_a_broken_one_is_a_number(
    markup: str, masked: bool, substitutor: Substitutor
) -> None:
    for key in ("a", "b", "c"):
        result = substitutor.substitute(*marked(markup, patient=Patient(key=key)))
        last = result.surrogates[-1]
        assert last.parsed != masked
        assert last.text == "[NIR]" if masked else (last.text.isdigit() and len(last.text) == 2 and last.text != "11")


@pytest.mark.parametrize(
    ("born", "code"),
    [("Vesoul", "70550"), ("VESOUL", "70550"), ("Basse-Pointe", "97203"), ("Ajaccio", "2A004"), ("Lyon", "69383")],
)
@pytest.mark.parametrize("key", KEYS[:4])
def test_a_nir_tells_the_published_birthplace(born: str, code: str, key: str, substitutor: Substitutor) -> None:
    base = f"16104{code}118"
    markup = f"Né à [[CITY|{born}]], NIR [[NIR|{base}{nir_key(base)}]], sœur : [[NIR|28001{code}118]]"
    town, *numbers = surrogates(substitutor.substitute(*marked(markup, patient=Patient(key=key))))
    codes = {one.insee for one in packaged_tables().communes.find(town)}
    assert {number[5:10] for number in numbers} <= codes


def test_a_nir_of_another_place_tells_none_of_the_document(substitutor: Substitutor) -> None:
    """Both are drawn about one town, so that they are one commune by chance now and then."""
    markup, same = "Vit à [[CITY|Vesoul]], NIR [[NIR|161042119401869]]", 0
    for key in KEYS:
        town, number = surrogates(substitutor.substitute(*marked(markup, patient=Patient(key=key))))
        assert number[5:10] != "21194"
        same += number[5:10] in {one.insee for one in packaged_tables().communes.find(town)}
    assert same < len(KEYS) / 2


@pytest.mark.parametrize("label", ["ID", "IPP", "NDA"])
@pytest.mark.parametrize("key", KEYS)
def test_a_number_that_is_a_nir_stays_one_whatever_its_label(label: str, key: str, substitutor: Substitutor) -> None:
    base = "1580321054012"
    patient = Patient(key=key, sex="M", birth_date=date(1958, 3, 12))
    born, number, again = surrogates(
        substitutor.substitute(
            *marked(
                f"né le [[DATE|12/03/1958]], [[{label}|1 58 03 21 054 012 {nir_key(base)}]], "
                f"[[NIR|{base}{nir_key(base)}]]",
                patient=patient,
            )
        )
    )
    digits = number.replace(" ", "")
    assert digits == again
    assert nir_holds(digits)
    assert digits[:5] == f"1{born[8:10]}{born[3:5]}"


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("Cassettes [[ID|24H0123-1]], -2, -3 ; [[ID|24H0123-4]].", r"Cassettes (\w{7})-1, -2, -3 ; \1-4\."),
        ("Lames [[ID|24H01234-A]] et [[ID|24H01234-B]] de [[NDA|24H01234]].", r"Lames (\w{8})-A et \1-B de \1\."),
        ("Examens [[ID|24.12345-1]] et [[ID|24.12345-2]]", r"Examens (\d\d\.\d{5})-1 et \1-2"),
        ("Poches [[ID|SRB12-4471B]] et [[ID|SRB12-4471A]]", r"Poches ([A-Z]{3}\d\d-\d{4})B et \1A"),
    ],
)
@pytest.mark.parametrize("key", KEYS)
def test_parts_of_a_sample_keep_its_number_in_common(
    text: str, layout: str, key: str, substitutor: Substitutor
) -> None:
    written = substitutor.substitute(*marked(text, patient=Patient(key=key))).text
    found = re.fullmatch(layout, written)
    assert found is not None, written
    assert found[1] not in text


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("ACC 2126389845", r"ACC \d{10}"),
        ("SN 63598748", r"SN \d{8}"),
        ("GEN-19-00871", r"GEN-\d\d-\d{5}"),
        ("21-UMJ-0388", r"\d\d-UMJ-\d{4}"),
        ("SlRET 477 820 116 OOO27", r"SlRET [\d ]{17}"),
        ("lot AB1234", r"lot [A-Z]{2}\d{4}"),
    ],
)
@pytest.mark.parametrize("key", KEYS[:3])
def test_letters_of_the_kind_of_a_number_stay(text: str, layout: str, key: str, substitutor: Substitutor) -> None:
    found = _one(substitutor, "ID", text, key)
    assert re.fullmatch(layout, found), found
    assert found != text


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("Accord [[ID|DEP 19-4471802]]", r"Accord DEP \d\d-\d{7}"),
        ("Appel [[NDA|SMUR21-7702-118]]", r"Appel SMUR\d\d-\d{4}-\d{3}"),
        ("[[ORG|SMUR de Vesoul]] : appel [[NDA|SMUR21-7702-118]]", r".+ : appel SMUR\d\d-\d{4}-\d{3}"),
        ("Réquisition [[ID|PV 2017/022861]]", r"Réquisition PV \d{4}/\d{6}"),
        ("Le QZKW : dossier [[ID|QZKW/17/0931/HBT]]", r"Le QZKW : dossier QZKW/\d\d/\d{4}/[A-Z]{3}"),
        ("Ostéodensitométrie sur [[ID|OSTEO2-44180071]]", r"Ostéodensitométrie sur OSTEO\d-\d{8}"),
    ],
)
@pytest.mark.parametrize("key", KEYS[:3])
def test_letters_that_open_a_number_and_say_its_sort_stay(
    text: str, layout: str, key: str, substitutor: Substitutor
) -> None:
    written = substitutor.substitute(*marked(text, patient=Patient(key=key))).text
    assert re.fullmatch(layout, written), written


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("Mme [[PATIENT|Paule Vidal]], [[ID|PV 2017/022861]]", "PV"),
        ("[[PATIENT|VIDAL]] née [[PATIENT|PINSON]], [[ID|PV 2017/022861]]", "PV"),
        ("Dr [[DOCTOR|Hugues Amiot-Darras]] : [[ID|HAD17-4471]]", "HAD"),
        ("Dr [[DOCTOR|Amiot-Darras Hugues]] : [[ID|HAD17-4471]]", "HAD"),
        ("M. [[PATIENT|Hadrien Moncel]], [[ID|HAD17-4471]]", "HAD"),
        ("Dr [[DOCTOR|Qzkwel]], le QZKW : [[ID|QZKW-17-4471]]", "QZKW"),
        ("Frappe [[DOCTOR|QZK]], [[ID|QZK-17-4471]]", "QZK"),
        ("[[ID|QZKW-17-4471]] et [[NDA|QZKW-17-4472]]", "QZKW"),
        ("Titre [[ID|CT1234567]]", "CT"),
        ("Pièce [[ID|PSL-17-4471]]", "PSL"),
        ("[[ORG|PSL]] : [[ID|PSL 17-4471]]", "PSL"),
        ("Né à [[CITY|Bordeaux]], sur la bordure : [[ID|BORD-17-4471]]", "BORD"),
        ("Passeport [[ID|12CT34567]]", "CT"),
        ("Réf. [[ID|AB/PV/17-4471]]", "PV"),
    ],
)
def test_letters_of_somebody_or_of_no_sort_are_redrawn(text: str, letters: str, substitutor: Substitutor) -> None:
    found = [surrogates(substitutor.substitute(*marked(text, patient=Patient(key=key))))[-1] for key in KEYS]
    assert sum(letters in one for one in found) <= 1  # by chance


def test_initials_of_the_patient_whom_no_text_names_go(substitutor: Substitutor) -> None:
    patient = Patient(key="p1", last_name="Vasseur", first_names=("Perrine",))
    assert not surrogates(substitutor.substitute(*marked("[[ID|PV 2017/022861]]", patient=patient)))[0].startswith("PV")


def test_letters_that_are_somebody_s_name_go(substitutor: Substitutor) -> None:
    written = surrogates(substitutor.substitute(*marked("[[PATIENT|Anne BIO]] [[ID|BIO-12345]]")))
    assert re.fullmatch(r"[A-Z]{3}-\d{5}", written[1])
    assert "BIO" not in written[1]


@pytest.mark.parametrize(
    ("text", "layout"),
    [
        ("PMT 2022/09/6617", r"PMT %Y/%m/\d{4}"),
        ("07412/2022", r"\d{5}/%Y"),
        ("7/2022/311", r"\d/%Y/\d{3}"),
        ("22-88301", r"%y-\d{5}"),
        ("PSG-22-0664", r"PSG-%y-\d{4}"),
        ("U22-48817", r"[A-Z]%y-\d{5}"),
        ("2209-18827", r"%y%m-\d{5}"),
        ("22H06114", r"%y[A-Z]\d{5}"),
        ("LYO38-22-06114", r"[A-Z]{3}\d\d-%y-\d{5}"),
        ("IRM 22 00541", r"IRM %y \d{5}"),
        ("YL/MO/22-0211", r"[A-Z]{2}/[A-Z]{2}/%y-\d{4}"),
    ],
)
@pytest.mark.parametrize("key", KEYS[:4])
@pytest.mark.parametrize("reference", [date(2022, 9, 22), None])
def test_the_year_of_a_number_is_that_of_a_published_date(
    text: str, layout: str, key: str, reference: date | None, substitutor: Substitutor
) -> None:
    markup = f"le [[DATE|22/09/2022]], n° [[ID|{text}]], le [[ID|{text}]]"
    document, mentions = marked(markup, patient=Patient(key=key), reference_date=reference)
    day, number, again = surrogates(substitutor.substitute(document, mentions))
    assert re.fullmatch(datetime.strptime(day, "%d/%m/%Y").strftime(layout), number), (day, number)
    assert number == again != text


@pytest.mark.parametrize("key", KEYS)
def test_each_number_has_the_year_of_the_date_beside_it(key: str, communes: CommuneTable) -> None:
    told = (
        "Reçu le [[DATE|14/03/2024]] : n° [[ID|24-06114]]. " + "Examen sans particularité, comparé au précédent. " * 3
    )
    markup = told + "Biopsie du [[DATE|02/11/2023]], n° [[ID|23-11877]] ; celle de [[DATE|2019]], n° [[ID|19-00512]]."
    document, mentions = marked(markup, patient=Patient(key=key), reference_date=date(2024, 3, 20))
    for policy in (load(), changed(load(), dates={"moves": "day"})):
        days = surrogates(Substitutor(policy, KEY, communes).substitute(document, mentions))
        assert [number[:2] for number in days[1::2]] == [day[-2:] for day in days[::2]]


def test_a_number_of_a_letter_on_a_centenarian_has_the_year_of_the_letter(communes: CommuneTable) -> None:
    document, mentions = marked("née le [[DATE|12/03/1924]]. NDA [[NDA|2024-00123]]. Anapath [[ID|24H00123]].")
    document = replace(document, reference_date=date(2024, 5, 14))
    _, first, second = surrogates(Substitutor(load(), KEY, communes).substitute(document, mentions))
    assert abs(int(first[:4]) - 2024) <= 6
    assert second[:2] == first[2:4]


def test_a_number_that_reads_as_a_day_has_no_year_of_a_date(communes: CommuneTable) -> None:
    markup = "Compte rendu du [[DATE|14/05/2012]]. N° [[ID|24-12-2025]]. Revu en [[DATE|2012]]."
    for key in KEYS:
        found = surrogates(Substitutor(load(), KEY, communes).substitute(*marked(markup, patient=Patient(key=key))))
        assert datetime.strptime(found[1], "%d-%m-%Y")


@pytest.mark.parametrize("key", KEYS)
def test_a_number_of_no_date_stays_before_the_document(key: str, communes: CommuneTable) -> None:
    found = set()
    for told in (date(2023, 5, 17), date(2024, 9, 22)):
        markup = f"le [[DATE|{told:%d/%m/%Y}]], biopsie antérieure n° [[ID|19H06114]]"
        document, mentions = marked(markup, patient=Patient(key=key), reference_date=told, id=str(told))
        day, number = surrogates(Substitutor(load(), KEY, communes).substitute(document, mentions))
        assert int(number[:2]) < int(day[-2:])
        found.add(number[2:])
    assert len(found) == 1


@pytest.mark.parametrize("dates", [{"strategy": "tag"}, {"strategy": "generalise"}])
def test_a_number_of_dates_that_are_not_moved_is_redrawn(
    dates: Mapping[str, str], policy: Policy, communes: CommuneTable
) -> None:
    substitutor = Substitutor(changed(policy, dates=dates), KEY, communes)
    firsts = set()
    for key in KEYS:
        document, mentions = marked("le [[DATE|22/09/2022]], n° [[ID|22H06114]]", patient=Patient(key=key))
        firsts.add(surrogates(substitutor.substitute(document, mentions))[1][:2])
    assert len(firsts) > 6


def test_a_masked_date_gives_a_number_no_year(substitutor: Substitutor) -> None:
    firsts = set()
    for key in KEYS:
        markup = "le [[DATE|45/13/2022]], n° [[ID|22H06114]]"
        document, mentions = marked(markup, patient=Patient(key=key), reference_date=None)
        mask, number = surrogates(substitutor.substitute(document, mentions))
        assert mask == "[DATE]"
        firsts.add(number[:2])
    assert len(firsts) > 6


@pytest.mark.parametrize("text", ["2044-00871", "70.5834.269", "1022/2217"])
def test_what_is_no_recent_year_is_redrawn(text: str, substitutor: Substitutor) -> None:
    firsts = {_one(substitutor, "ID", text, key)[:2] for key in KEYS}
    assert len(firsts) > 6


@pytest.mark.parametrize("key", KEYS)
def test_a_last_figure_without_other_parts_is_redrawn_with_its_number(key: str, substitutor: Substitutor) -> None:
    lone = {_one(substitutor, "ID", "24H0123-4", f"{key}-{number}")[-1] for number in range(12)}
    assert len(lone) > 1


@pytest.mark.parametrize("key", KEYS)
def test_numbers_of_one_series_keep_their_stem_and_distances(key: str, substitutor: Substitutor) -> None:
    text = "Pots [[ID|22-K-5131]], [[ID|22-K-5132]] et [[ID|22-K-5139]], bon [[ID|22-K-6132]]."
    *series, other = surrogates(substitutor.substitute(*marked(text, patient=Patient(key=key))))
    assert len({one[:-2] for one in series}) == 1
    assert [(int(one[-2:]) - int(series[0][-2:])) % 100 for one in series] == [0, 1, 8]
    assert other[:-2] != series[0][:-2]


def test_ranks_of_a_series_are_drawn_uniformly(substitutor: Substitutor) -> None:
    ranks = {int(_one(substitutor, "ID", "22-K-5131", f"rank-{number}")[-2:]) for number in range(400)}
    assert len(ranks) > 90


def test_a_number_of_a_series_is_alike_in_all_documents(substitutor: Substitutor) -> None:
    alone = _one(substitutor, "ID", "22-K-5132")
    beside = surrogates(
        substitutor.substitute(*marked("[[ID|22-K-5131]], [[ID|22-K-5132]]", patient=Patient(key="p1")))
    )
    assert alone == beside[1]


@pytest.mark.parametrize("key", KEYS[:6])
@pytest.mark.parametrize("number", ["2405170112", "20240517-0112", "E240517-88", "B24-0517-0112"])
def test_the_day_of_a_number_is_that_of_a_published_date(number: str, key: str, substitutor: Substitutor) -> None:
    text = f"Prélevé le [[DATE|17/05/2024]], reçu le [[DATE|18/05/2024]], n° [[ID|{number}]]."
    patient = Patient(key=key)
    told, _, found = surrogates(
        substitutor.substitute(*marked(text, patient=patient, reference_date=date(2024, 5, 20)))
    )
    day = datetime.strptime(told, "%d/%m/%Y")
    assert f"{day:%y%m%d}" in re.sub(r"\D", "", found)


def test_a_day_that_no_date_tells_is_redrawn(substitutor: Substitutor) -> None:
    found = {
        surrogates(
            substitutor.substitute(
                *marked("Reçu le [[DATE|18/05/2024]], n° [[ID|2405170112]].", patient=Patient(key=f"p{number}"))
            )
        )[1][2:6]
        for number in range(40)
    }
    assert any(not 1 <= int(one[:2]) <= 12 for one in found)


@pytest.mark.parametrize("number", ["4471209356", "B200117"])
def test_a_number_is_alike_under_each_label(number: str, substitutor: Substitutor) -> None:
    assert len({_one(substitutor, label, number) for label in ("ID", "IPP", "NDA")}) == 1


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize(
    ("markup", "form"),
    [
        ("secteur [[ID|58G03]]", r"(?P<code>\d\d)G\d\d"), ("secteur [[ID|58i01]]", r"(?P<code>\d\d)i\d\d"),
        ("dossier SAMU [[NDA|58-61-40731]]", r"(?P<code>\d\d)-\d\d-\d{5}"),
    ],
)  # fmt: skip
def test_a_number_that_opens_with_a_department_has_that_of_the_commune_drawn(
    markup: str, form: str, key: str, substitutor: Substitutor, communes: CommuneTable
) -> None:
    found = surrogates(substitutor.substitute(*marked(f"Vit à [[CITY|Nevers]]. {markup}", patient=Patient(key=key))))
    told = re.fullmatch(form, found[1])
    assert told
    assert told["code"] in {one.department for one in communes.find(found[0])}


def test_the_number_of_another_call_or_place_is_redrawn(substitutor: Substitutor) -> None:
    """One that opens with no department of the document's places tells none of them."""
    drawn = {_one(substitutor, "NDA", "58-61-40731", key, "Vit à [[CITY|Dijon]]. SAMU")[:2] for key in KEYS}
    assert len(drawn) > len(KEYS) / 2


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("sector", ["2AG03", "2BI01"])
def test_a_sector_of_corsica_is_a_sector(sector: str, key: str, substitutor: Substitutor) -> None:
    (found,) = surrogates(substitutor.substitute(*marked(f"secteur n° [[ID|{sector}]]", patient=Patient(key=key))))
    assert re.fullmatch(rf"(?:\d\d|2[AB]|97\d){sector[2]}\d\d", found)

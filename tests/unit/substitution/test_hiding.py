"""Hiding in plain sight: marked contacts bear their mark, natural ones none; repeated names stay or change."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from deid.config.policy import Policy, load
from deid.domain.document import Patient
from deid.domain.errors import PolicyError
from deid.domain.labels import Label
from deid.domain.outcomes import Candidate
from deid.french.organisations import is_public_page
from deid.quality import validate_batch
from deid.quality.residues import count_unmarked
from deid.reference.accents import is_accented, usual_spelling
from deid.reference.names import name_key
from deid.reference.origins import FRENCH
from deid.reference.packaged import packaged_rows
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from tests.unit.substitution.examples import KEY, changed, marked, surrogates

MODES = ("marked", "natural")
FICTION = ("019900", "026191", "035301", "046571", "053649", "063998")
FREE = frozenset(row["start"] + block for row in packaged_rows("unassigned_numbers") for block in row["blocks"].split())
PATIENT = Patient(key="p1", last_name="DUPONT", first_names=("HÉLÈNE",), sex="F")
KEPT = settings(max_examples=60, deadline=None)

two = st.integers(0, 99).map("{:02d}".format)
keys = st.integers(0, 500).map("patient-{}".format)


@st.composite
def phones(draw: st.DrawFn) -> str:
    """A French number in one of the layouts that people write."""
    starts = ["01 4", "02 9", "03 8", "04 7", "05 6", "06 1", "07 8", "08 2", "09 7", "0262 ", "0590 ", "0692 "]
    start = draw(st.sampled_from(starts)).replace(" ", "")
    digits = (start + "".join(draw(st.tuples(two, two, two, two))))[:10]
    separator = draw(st.sampled_from(["", " ", ".", "-", "\u00a0", "/"]))
    written = separator.join(digits[place : place + 2] for place in range(0, 10, 2))
    prefix = draw(st.sampled_from(["", "", "+33 ", "+33 (0)", "0033"]))
    return prefix + written[1:] if prefix else written


logins = st.sampled_from(["helene.dupont", "hdupont", "dupont.h21", "secretariat", "j-p.martin", "x"])
hosts = st.sampled_from(
    [
        "gmail.com",
        "orange.fr",
        "chu-dijon.fr",
        "DUPONT.fr",
        "arvor-bio.com",
        "ch-autun.asso.fr",
        "intra",
        "sante.gouv.fr",
    ]
)
signs = st.sampled_from(["@", " @ ", "[at]", "(at)", "＠"])
emails = st.tuples(logins, signs, hosts).map("".join)
webs = st.tuples(
    st.sampled_from(["https://", "http://www.", "www.", ""]), hosts, st.sampled_from(["", "/p/K7X?m=3", "/a.fr/b"])
).map("".join)
contacts = st.one_of(
    phones().map(lambda text: ("PHONE", text)),
    st.tuples(st.just("EMAIL"), emails),
    st.tuples(st.just("URL"), webs),
    st.tuples(
        st.just("PHONE"),
        st.sampled_from(
            ["+41 22 345 67 89", "0041223456789", "+1 514-555-0123", "06 12 34 56 78 / 03 80 11 22 33", "4512"]
        ),
    ),
)


@pytest.fixture(scope="module")
def modes() -> Mapping[str, Substitutor]:
    """A substitutor by mode."""
    return {mode: _substitutor(hiding=mode) for mode in MODES}


def _substitutor(**changes: Any) -> Substitutor:
    return Substitutor(_policy(**changes), KEY, packaged_tables().communes)


def _policy(**changes: Any) -> Policy:
    return changed(load(), **changes)


def _drawn(substitutor: Substitutor, markup: str, patient: Patient = PATIENT) -> list[str]:
    return surrogates(substitutor.substitute(*marked(markup, patient=patient)))


# Contacts


@pytest.mark.parametrize("mode", MODES)
@given(phones(), keys)
@KEPT
def test_a_phone_is_of_its_modes_ranges_in_the_same_layout(
    modes: Mapping[str, Substitutor], mode: str, number: str, key: str
) -> None:
    markup = f"Tél. [[PHONE|{number}]]."
    (found,) = _drawn(modes[mode], markup, Patient(key=key))
    assert [found] == _drawn(modes[mode], markup, Patient(key=key))
    assert re.sub(r"\d", "0", found) == re.sub(r"\d", "0", number)
    digits, before = (re.sub(r"\D", "", re.sub(r"^(?:\+|00)33\D*0?", "0", text)) for text in (found, number))
    assert digits != before
    assert digits.startswith(FICTION) if mode == "marked" else digits[:6] in FREE
    if mode == "natural":
        mobile = ("06", "07")
        assert digits[:2] == before[:2] or (digits.startswith(mobile) and before.startswith(mobile))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("number", ["06", "07", "01", "09.", "06 39", "06 12", "02.99", "04-65"])
def test_the_beginning_of_a_phone_begins_a_phone(modes: Mapping[str, Substitutor], mode: str, number: str) -> None:
    for key in range(10):
        (found,) = _drawn(modes[mode], f"Sa fille : [[PHONE|{number}]]", Patient(key=f"p{key}"))
        assert found != number
        assert re.sub(r"\d", "0", found) == re.sub(r"\d", "0", number)
        assert any(one.startswith(re.sub(r"\D", "", found)) for one in FICTION)


def test_ranges_that_nobody_has_are_those_of_no_fiction() -> None:
    assert not FREE & set(FICTION)
    assert all(re.fullmatch(r"0[1-9]\d{4}", block) for block in FREE)


def test_an_overseas_number_stays_in_its_territory(modes: Mapping[str, Substitutor]) -> None:
    for number, starts in (("0262 41 12 34", ("0262", "0263")), ("0692 12 34 56", ("0692", "0693"))):
        for key in range(20):
            (found,) = _drawn(modes["natural"], f"[[PHONE|{number}]]", Patient(key=f"p{key}"))
            assert found.startswith(starts)


@given(st.lists(contacts, min_size=1, max_size=4), keys)
@KEPT
def test_every_marked_contact_passes_the_check_of_marks(
    modes: Mapping[str, Substitutor], found: list[tuple[str, str]], key: str
) -> None:
    markup = "\n".join(f"Contact : [[{label}|{text}]] ;" for label, text in found)
    result = modes["marked"].substitute(*marked(markup, patient=Patient(key=key)))
    assert count_unmarked(result.text) == 0, result.text


@given(emails, keys)
@KEPT
def test_a_natural_email_is_ordinary_and_no_name_alone_at_a_provider(
    modes: Mapping[str, Substitutor], written: str, key: str
) -> None:
    (found,) = _drawn(modes["natural"], f"Courriel [[EMAIL|{written}]] fin", Patient(key=key))
    assert ".example" not in found.lower()
    sign = re.search(r"\s*(?:@|＠|[\[(]at[\])])\s*", found)
    assert sign is not None
    login, domain = found[: sign.start()], found[sign.end() :]
    assert re.fullmatch(r"[a-z0-9.\-]+\.[a-z]{2,5}", domain.lower())
    if written.endswith(("gmail.com", "orange.fr")):
        assert len(re.sub(r"\D", "", login)) >= 2
    assert "dupont" not in domain.lower()


@given(webs, keys)
@KEPT
def test_a_natural_web_address_is_another_one(modes: Mapping[str, Substitutor], written: str, key: str) -> None:
    (found,) = _drawn(modes["natural"], f"Voir [[URL|{written}]] fin", Patient(key=key))
    assert ".example" not in found.lower()
    assert (found.lower() == written.lower()) is is_public_page(written)
    assert "dijon" not in found
    assert "autun" not in found


def test_natural_addresses_of_machines_are_of_networks_that_nobody_has(modes: Mapping[str, Substitutor]) -> None:
    four, six = _drawn(modes["natural"], "[[ID|81.12.40.66]] [[ID|2a01:cb00:4471:9c00::1f]]")
    assert re.match(r"10\.|172\.16\.|192\.168\.", four)
    assert six.startswith("fd")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "text", ["?", "tél", "06", "0", "+", "++33", "00", "06" * 40, "＋３３ ６", "\u200b", "@", "a@", "@b", "www."]
)
def test_contacts_that_are_none_are_replaced(modes: Mapping[str, Substitutor], mode: str, text: str) -> None:
    for label in (Label.PHONE, Label.EMAIL, Label.URL):
        (found,) = _drawn(modes[mode], f"x [[{label}|{text}]] y")
        assert found != text


# The check


def _verdict(mode: Any, text: str) -> tuple[str, ...]:
    document, mentions = marked(text, patient=PATIENT)
    candidate = Candidate(document, tuple(mentions), _substitutor(hiding="natural").substitute(document, mentions))
    (verdict,) = validate_batch([candidate], hiding=mode)
    return tuple(one.check for one in verdict.outcomes if not one.success)


@pytest.mark.parametrize(
    "contact",
    [
        "[[PHONE|03 80 29 30 31]]",
        "[[EMAIL|a.martin@chu-dijon.fr]]",
        "[[URL|www.arvor-bio.fr/p]]",
        "[[PHONE|+41223456789]]",
    ],
)
def test_a_contact_without_its_mark_holds_back_under_marked_only(contact: str) -> None:
    prose = "Le patient est revu ce jour en consultation, il va bien et le traitement est poursuivi. "
    assert "contact_unmarked" in _verdict("marked", f"{prose}Joindre {contact} au besoin.")
    assert "contact_unmarked" not in _verdict("natural", f"{prose}Joindre {contact} au besoin.")


@pytest.mark.parametrize(
    "text",
    [
        "06 39 98 12 34",
        "+33 (0)3 53 01 11 22",
        "0033639981234",
        "a@b.example",
        "https://x-1.example/a@b.fr",
        "TA 12@40",
        "https://www.has-sante.fr/jcms/c_1",
    ],
)
def test_marks_are_known(text: str) -> None:
    assert count_unmarked(f"voir {text} .") == 0


@pytest.mark.parametrize(
    "text",
    [
        "06 39 97 12 34",
        "+33380112233",
        "a@b.fr",
        "a [at] example-chu.fr",
        "x@monexample",
        "www.example.fr",
        "chu-dijon.fr",
        "+41 22 345 67 89",
    ],
)
def test_what_has_no_mark_is_counted(text: str) -> None:
    assert count_unmarked(f"voir {text} .") == 1


# Names


def test_natural_names_have_the_accents_and_noise_of_the_original(modes: Mapping[str, Substitutor]) -> None:
    markup = "été : [[PATIENT|Hélène Dupont]], [[PATIENT|Helene]], [[PATIENT|HELENE]]"
    for number in range(25):
        patient = Patient(key=f"p{number}", last_name="DUPONT", first_names=("HELENE",), sex="F")
        whole, typed, capitals = _drawn(modes["natural"], markup, patient)
        first = whole.split()[0]
        assert not first.isascii()
        assert typed.isascii()
        assert capitals.isascii()
        assert capitals == typed.upper()
        assert len(first) == len(typed)


def test_natural_surnames_have_accents_where_the_original_usually_has_and_are_never_shared(
    modes: Mapping[str, Substitutor],
) -> None:
    births = {row["name"].lower(): int(row["births"]) for row in packaged_rows("surnames") if row["name"].isalpha()}
    origins = packaged_tables().names.origins[0]  # other origins have too few names with accents
    frequent = [one for one, count in births.items() if count >= 3_000 and origins.origin_of(one, count) == FRENCH]
    accented = [name for name in frequent if is_accented(name, True)][:120]
    plain = [name for name in frequent if not is_accented(name, True)][:120]
    drawn: dict[str, str] = {}
    for name in accented + plain:
        written = usual_spelling(name.title(), True)
        (drawn[name],) = _drawn(modes["natural"], f"à Dr [[DOCTOR|{written}]]", Patient(key="p1"))
        assert drawn[name].isascii() is written.isascii()
    assert len(accented) == len(plain) == 120
    assert len({name_key(name) for name in drawn.values()}) == 240


def test_names_that_are_none_do_not_become_the_same_few(modes: Mapping[str, Substitutor]) -> None:
    words = sorted({row["name"] for row in packaged_rows("drugs")})[::40][:120]
    found = Counter[str]()
    for number, word in enumerate(words):
        patient = Patient(key=f"p{number}", last_name="DUPONT", first_names=("Anne",), sex="F")
        found[_drawn(modes["natural"], f"Traitement par [[PERSON|{word.title()}]] ce jour", patient)[0]] += 1
    assert found.most_common(1)[0][1] <= 3


# Repeated names

REPEATED = (
    "[[PATIENT|Hélène Dupont]], " + "Mme [[PATIENT|Dupont]], le Dr [[DOCTOR|Jean Lefort]], Dr [[DOCTOR|Lefort]] ; " * 4
)


@pytest.mark.parametrize("mode", MODES)
def test_a_name_that_never_changes_is_consistent(mode: str) -> None:
    consistent = _drawn(_substitutor(hiding=mode), REPEATED)
    assert consistent == _drawn(_substitutor(hiding=mode, repeated_names="changing", keep_name=1.0), REPEATED)
    assert len(set(consistent)) == 4


@given(keys, st.sampled_from(MODES))
@settings(max_examples=20, deadline=None)
def test_a_changing_name_begins_as_a_consistent_one_and_is_drawn_alike_again(key: str, mode: str) -> None:
    patient = Patient(key=key, last_name="DUPONT", first_names=("HÉLÈNE",), sex="F")
    changing = _substitutor(hiding=mode, repeated_names="changing", keep_name=0.0)
    found = _drawn(changing, REPEATED, patient)
    consistent = _drawn(_substitutor(hiding=mode), REPEATED, patient)
    assert found == _drawn(changing, REPEATED, patient)
    assert found[0] == consistent[0]
    surnames = found[1::3]
    assert len(set(surnames)) >= 3  # each drawn anew, and seldom alike by chance
    assert "dupont" not in " ".join(found).lower()
    assert "lefort" not in " ".join(found).lower()


def test_the_words_of_a_mention_change_together_and_nothing_but_names_does() -> None:
    markup = "[[DOCTOR|Jean Lefort]], " * 12 + "à [[CITY|Dijon]], [[PHONE|03 80 11 22 33]], " * 2
    found = _drawn(_substitutor(repeated_names="changing"), markup)
    names = found[:12]
    assert len(set(found[12:])) == 2
    assert len({name.split()[0] for name in names}) > 1
    pairs = [(one.split(), other.split()) for one, other in pairwise(names)]
    assert all((one[0] == other[0]) is (one[1] == other[1]) for one, other in pairs)


def test_documents_change_their_names_apart() -> None:
    changing = _substitutor(repeated_names="changing", keep_name=0.5)
    drawn = {
        tuple(surrogates(changing.substitute(*marked(REPEATED, id=f"d{number}", patient=PATIENT))))
        for number in range(6)
    }
    assert len(drawn) > 3


def test_the_share_of_names_kept_is_that_of_the_policy() -> None:
    changing = _substitutor(repeated_names="changing", keep_name=0.7)
    kept = total = 0
    for number in range(40):
        found = _drawn(changing, "Mme [[PERSON|Lefort]] ; " * 12, Patient(key=f"p{number}"))
        kept += sum(one == other for one, other in pairwise(found))
        total += len(found) - 1
    assert 0.62 < kept / total < 0.78  # 0.7, four standard errors around


# The policy


def test_what_ships_is_marked_and_consistent() -> None:
    shipped = load().substitution
    assert (shipped.hiding, shipped.repeated_names) == ("marked", "consistent")


@pytest.mark.parametrize(
    "key",
    [
        "hiding: hidden",
        "hiding: null",
        "repeated_names: sometimes",
        "keep_name: 1.5",
        "keep_name: -1",
        "hidding: marked",
    ],
)
def test_a_mode_that_does_not_exist_is_refused(key: str, tmp_path: Path) -> None:
    path = tmp_path / "ours.yaml"
    path.write_text(f"extends: default\nsubstitution: {{{key}}}\n")
    with pytest.raises(PolicyError, match=key.partition(":")[0]):
        load(path)

"""ClockTimes of day under each strategy, in the forms that sentences keep, in their order, and past the checks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from deid.config.policy import DEFAULT, Policy, SubstitutionPolicy, load
from deid.detection.annotators import ClockTimes
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Patient
from deid.domain.outcomes import Candidate, Severity
from deid.french.times_of_day import PARTS_OF_DAY
from deid.quality.checks import CHECKS
from deid.quality.measures import measure
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from tests.unit.substitution.examples import ANCHOR, KEY, changed, marked

WRITTEN = (
    ("Vu [[TIME|à 14h35]].", "Vu à 14h.", "Vu l'après-midi.", "Vu à [TIME]."),
    ("[[TIME|14:35:20]] arrêt.", "14h arrêt.", "après-midi arrêt.", "[TIME] arrêt."),
    ("Le 6/10 [[TIME|21 h 15]].", "Le 6/10 21 h.", "Le 6/10 soir.", "Le 6/10 [TIME]."),
    ("Né [[TIME|vers 4 heures 05]].", "Né vers 4 heures.", "Né la nuit.", "Né vers [TIME]."),
    (
        "Dort [[TIME|de 23h50]] [[TIME|à 6h50]].",
        "Dort de 23h à 6h.",
        "Dort du soir au matin.",
        "Dort de [TIME] à [TIME].",
    ),
    ("Là [[TIME|jusqu'à 17h15]].", "Là jusqu'à 17h.", "Là jusqu'à l'après-midi.", "Là jusqu'à [TIME]."),
    ("Mal depuis [[TIME|8h05]].", "Mal depuis 8h.", "Mal depuis le matin.", "Mal depuis [TIME]."),
    ("Lundi [[TIME|9h10]].", "Lundi 9h.", "Lundi matin.", "Lundi [TIME]."),
    (
        "Le 2026-03-12[[TIME|T14:35:20+01:00]].",
        "Le 2026-03-12T14.",
        "Le 2026-03-12 après-midi.",
        "Le 2026-03-12 [TIME].",
    ),
    ("[[TIME|à dix-huit heures trente]]", "à dix-huit heures", "le soir", "à [TIME]"),
    ("[[TIME|à neuf heures moins le quart]]", "à 8 heures", "le matin", "à [TIME]"),
    ("[[TIME|vers 8h30 du soir]]", "vers 8h du soir", "le soir", "vers [TIME]"),
    ("Le soir, [[TIME|à 20h]].", "Le soir, à 20h.", "Le soir, le soir.", "Le soir, à [TIME]."),
    ("Là [[TIME|tantôt]].", "Là [TIME].", "Là [TIME].", "Là [TIME]."),
)
STRATEGIES = ("hour", "part_of_day", "drop")


@pytest.fixture(scope="module")
def strategies(policy: Policy, communes: CommuneTable) -> dict[str, Substitutor]:
    return {
        name: Substitutor(changed(policy, times={"strategy": name}), KEY, communes) for name in ("keep", *STRATEGIES)
    }


@pytest.mark.parametrize("row", WRITTEN, ids=[row[0] for row in WRITTEN])
def test_a_time_is_written_in_the_form_that_the_sentence_keeps(
    row: tuple[str, ...], strategies: dict[str, Substitutor]
) -> None:
    document, mentions = marked(f"Été. {row[0]}")
    for name, expected in zip(STRATEGIES, row[1:], strict=True):
        result = strategies[name].substitute(document, mentions)
        assert result.text == f"Été. {expected}"
        assert {spend.category for spend in result.spends} == {"anchor"}
    masked = (
        strategies["keep"].substitute(document, mentions).surrogates
    )  # none is looked for, so that what is given is not left
    assert {one.text for one in masked} == {"[TIME]"}


def test_a_time_that_opens_a_line_has_no_article(strategies: dict[str, Substitutor]) -> None:
    log = marked("[[TIME|08:20]] VVP, RAMPE\n[[TIME|08:27]] PROPOFOL\n[[TIME|08:29]] IOT")
    assert strategies["part_of_day"].substitute(*log).text == "MATIN VVP, RAMPE\nMATIN PROPOFOL\nMATIN IOT"


def test_case_and_accents_are_those_of_the_text(strategies: dict[str, Substitutor]) -> None:
    upper, plain = marked("RETOUR [[TIME|A 17H15]] EN SALLE"), marked("retour [[TIME|a 17h15]] en salle")
    assert strategies["part_of_day"].substitute(*upper).text == "RETOUR L'APRES-MIDI EN SALLE"
    assert strategies["part_of_day"].substitute(*plain).text == "retour l'apres-midi en salle"


@pytest.mark.parametrize("name", ["keep", *STRATEGIES])
def test_the_checks_let_what_the_policy_chose_pass(name: str, strategies: dict[str, Substitutor]) -> None:
    known = Patient(key="p1", last_name="Zyldar", first_names=("Oumkeltoum",))
    markup = "Vu le [[DATE|3 mars 2020]] [[TIME|à 14h35]], été. Revu [[TIME|à 20h]], TA 12/7, Doliprane 1 g."
    document, mentions = marked(markup, patient=known)
    numbers = measure(Candidate(document, tuple(mentions), strategies[name].substitute(document, mentions)))
    failed = [one for one in CHECKS if not one.least <= numbers[one.name] <= one.most]
    assert not [one.name for one in failed if one.severity is not Severity.INFO]


_FORMS = ("{h}h{m:02}", "{h:02}:{m:02}", "{h} h {m:02}", "{h} heures {m:02}", "{h:02}:{m:02}:09")
_MOMENTS = st.tuples(st.integers(0, 23), st.integers(0, 59), st.sampled_from(_FORMS))


@settings(max_examples=200, deadline=None)
@given(moments=st.lists(_MOMENTS, min_size=2, max_size=6))
def test_no_two_times_change_their_order_and_none_keeps_its_minutes(
    moments: list[tuple[int, int, str]], strategies: dict[str, Substitutor]
) -> None:
    document = Document("d1", "\n".join(f"Vu à {form.format(h=h, m=m)} !" for h, m, form in moments), Patient(key="p1"))
    mentions = list(ClockTimes().annotate(Reading(document)))
    assert len(mentions) == len(moments)
    hours = strategies["hour"].substitute(document, mentions).text.splitlines()
    written = (form.format(h=h, m=m).replace(":", "h") for h, m, form in moments)
    assert [re.findall(r"\d+", line) for line in hours] == [re.findall(r"\d+", time)[:1] for time in written]
    words = strategies["part_of_day"].substitute(document, mentions).text.replace("apres", "après").splitlines()
    parts = [next(at for at, part in enumerate(PARTS_OF_DAY) if part in line) for line in words]
    told = sorted(zip(((h, m) for h, m, _ in moments), parts, strict=True))
    assert [part for _, part in told] == sorted(parts)
    assert not re.search(r"\d", "".join(words))


def test_policies_say_what_becomes_of_times() -> None:
    assert load().substitution.times.strategy == "keep"
    assert load(DEFAULT.with_name("strict.yaml")).substitution.times.strategy == "part_of_day"
    assert not load().substitution.seeks_times
    with pytest.raises(ValidationError, match="strategy"):
        SubstitutionPolicy.model_validate({"times": {"strategy": "minute"}})
    with pytest.raises(ValidationError, match=re.escape("times.strategy")):
        SubstitutionPolicy.model_validate({"labels": {"TIME": {"provider": "keep"}}})
    assert SubstitutionPolicy.model_validate({"labels": {"TIME": {"provider": "redact"}}}).seeks_times


def test_a_label_of_its_own_choice_replaces_times(policy: Policy, communes: CommuneTable) -> None:
    chosen = SubstitutionPolicy.model_validate({"labels": {"TIME": {"provider": "redact"}}}).labels
    document, mentions = marked("Vu [[TIME|à 14h35]].", reference_date=ANCHOR)
    assert "14" not in Substitutor(changed(policy, labels=chosen), KEY, communes).substitute(document, mentions).text

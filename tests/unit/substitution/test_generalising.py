"""Indirect identifiers under `keep`, `generalise` and `mask`, and what the checks say of them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from deid.config.policy import GeneratorChoice, Policy, SubstitutionPolicy
from deid.domain.document import Patient
from deid.domain.labels import OPTIONAL, TAGGED, Label
from deid.domain.outcomes import Candidate
from deid.privacy.perturbations import describe_policy
from deid.quality.checks import CHECKS, Severity
from deid.quality.measures import measure
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from tests.unit.substitution.examples import ANCHOR, KEY, changed, marked

KNOWN = Patient(key="p1", last_name="Zyldar", first_names=("Oumkeltoum",))
WIDER = (
    ("Patiente, [[PROFESSION|caissière]] à Match.", "Patiente, employée à Match."),
    ("Il est [[PROFESSION|boulanger]].", "Il est artisan, commerçant ou chef d'entreprise."),
    ("L'[[PROFESSION|ingénieur]] est vu.", "Le cadre est vu."),
    ("Le métier de [[PROFESSION|maçon]] le fatigue.", "Le métier d'ouvrier le fatigue."),
    ("Un [[PROFESSION|ancien facteur]].", "Un ancien employé."),
    ("[[PROFESSION|Facteur retraité]].", "Employé retraité."),
    ("ANCIEN : [[PROFESSION|MINEUR DE FOND]].", "ANCIEN : OUVRIER."),
    ("Elle a été [[PROFESSION|professeure de latin]].", "Elle a été cadre."),
    ("Profession : [[PROFESSION|greffeuse de perles]].", "Profession : [PROFESSION]."),
    ("Il est [[PROFESSION|retraité]].", "Il est retraité."),
    ("De nationalité [[NATIONALITY|malienne]].", "De nationalité africaine."),
    ("Des patients [[NATIONALITY|syriens]].", "Des patients asiatiques."),
    ("Le [[NATIONALITY|Malien]] parle.", "L'Africain parle."),
    ("Il est [[NATIONALITY|demandeur d'asile]].", "Il est [NATIONALITY]."),
    ("[[FAMILY|Mariée]], [[FAMILY|3 enfants]].", "En couple, un ou plusieurs enfants."),
    ("Père de [[FAMILY|trois filles]].", "Père d'un ou plusieurs enfants."),
    ("Elle est [[FAMILY|veuve]] depuis peu.", "Elle est sans conjoint depuis peu."),
    ("Une [[FAMILY|veuve]] de 80 ans.", "Une personne sans conjoint de 80 ans."),
    ("Elle [[FAMILY|vit seule]].", "Elle vit seule."),
    ("Il [[FAMILY|vit avec sa fille]].", "Il vit avec un proche."),
    ("[[FAMILY|Vit avec son épouse]] Yvette.", "Vit avec son conjoint Yvette."),
    ("[[FAMILY|Veuf]] de Carmen.", "Ancien conjoint de Carmen."),
    ("[[FAMILY|Divorcée]] de Gilbert.", "Ancienne conjointe de Gilbert."),
    ("Avec ses [[FAMILY|trois enfants]].", "Avec ses enfants."),
    ("[[FAMILY|Deux sœurs]] plus jeunes.", "Des frères et sœurs plus jeunes."),
    ("Sa mère, Mme Pinto, [[PROFESSION|agent d'entretien]].", "Sa mère, Mme Pinto, employée."),
    ("[[PROFESSION|Écrivain public]].", "Cadre."),
    ("Le [[FAMILY|3e enfant]] de Selma.", "L'enfant de Selma."),
    ("Le [[FAMILY|deuxième d'une fratrie de trois]].", "Le membre d'une fratrie."),
    ("[[RELIGION|Témoin de Jéhovah]].", "[RELIGION]."),
    ("D'origine [[ETHNICITY|maghrébine]].", "D'origine [ETHNICITY]."),
    ("GPS [[COORDINATES|48.8566, 2.3522]].", "GPS 48.9, 2.4."),
    ("GPS [[COORDINATES|48,8566 ; -2,3522]].", "GPS 48,9 ; -2,4."),
    ("En [[COORDINATES|48°51'24\" N, 2°21'07\" E]].", "En [COORDINATES]."),
)


def _failures(checked: Candidate) -> set[str]:
    numbers = measure(checked)
    failed = (check for check in CHECKS if not check.least <= numbers[check.name] <= check.most)
    return {check.name for check in failed if check.severity is not Severity.INFO}


def _with(policy: Policy, provider: str) -> Policy:
    return changed(policy, labels={label: GeneratorChoice(provider=provider) for label in OPTIONAL})


@pytest.fixture(scope="module")
def generalising(policy: Policy, communes: CommuneTable) -> Substitutor:
    return Substitutor(_with(policy, "generalise"), KEY, communes)


@pytest.mark.parametrize(("markup", "expected"), WIDER)
def test_a_class_fits_its_sentence(markup: str, expected: str, generalising: Substitutor) -> None:
    document, mentions = marked(f"Vu l'été. {markup}")
    assert generalising.substitute(document, mentions).text == f"Vu l'été. {expected}"


def test_a_text_without_accents_gets_none(generalising: Substitutor) -> None:
    assert generalising.substitute(*marked("Mr X, [[PROFESSION|caissier]].")).text == "Mr X, employe."


@pytest.mark.parametrize(("markup", "expected"), WIDER)
@pytest.mark.parametrize("provider", ["keep", "generalise", "mask", "format_preserving"])
def test_the_checks_let_what_the_policy_chose_pass(
    markup: str, expected: str, provider: str, policy: Policy, communes: CommuneTable
) -> None:
    document, mentions = marked(f"Vu le [[DATE|3 mars 2020]], été. {markup}", patient=KNOWN)
    result = Substitutor(_with(policy, provider), KEY, communes).substitute(document, mentions)
    if provider == "keep":
        assert document.text.partition(". ")[2] == result.text.partition(". ")[2]
        assert [one.strategy for one in result.surrogates[1:]] == ["keep"] * (len(mentions) - 1)
    assert not _failures(Candidate(document, tuple(mentions), result)), expected


@pytest.mark.parametrize("provider", ["mask", "format_preserving"])
def test_a_mask_tells_neither_length_nor_class(provider: str, policy: Policy, communes: CommuneTable) -> None:
    substitutor = Substitutor(_with(policy, provider), KEY, communes)
    for surface in ("maçon", "conducteur d'engins de chantier"):
        document, mentions = marked(f"Il est [[PROFESSION|{surface}]].", reference_date=ANCHOR)
        assert substitutor.substitute(document, mentions).text == "Il est [PROFESSION]."


@pytest.mark.parametrize("label", sorted(OPTIONAL - {Label.TIME}))  # has a strategy of its own
def test_a_policy_is_described_as_masking_the_optional_labels_that_it_masks(
    label: Label, policy: Policy, substitutor: Substitutor
) -> None:
    (strategy,) = {one.strategy for one in describe_policy(policy) if one.element == label}
    written = substitutor.substitute(*marked(f"Ici : [[{label}|AB-123-CD]].")).text
    assert (strategy == "mask") == (written == f"Ici : [{label}].")


def test_the_class_is_the_same_for_all_its_members(generalising: Substitutor) -> None:
    texts = {
        generalising.substitute(*marked(f"Il est [[PROFESSION|{one}]].")).text
        for one in ("soudeur", "conducteur d'engins", "marin-pêcheur", "bûcheron")
    }
    assert texts == {"Il est ouvrier."}


@pytest.mark.parametrize("provider", ["keep", "generalise"])
@pytest.mark.parametrize("label", list(TAGGED))
def test_what_points_at_a_person_may_not_stay(label: Label, provider: str) -> None:
    with pytest.raises(ValueError, match="is refused"):
        SubstitutionPolicy(labels={label: GeneratorChoice(provider=provider)})


def test_an_original_among_what_was_generalised_is_held(generalising: Substitutor) -> None:
    document, mentions = marked("Vu le [[DATE|3 mars 2020]]. Il est [[PROFESSION|soudeur]].", patient=KNOWN)
    result = generalising.substitute(document, mentions)
    slipped = replace(
        result,
        text=result.text.replace("ouvrier", "soudeur"),
        surrogates=(result.surrogates[0], result.surrogates[1]._replace(text="soudeur")),
    )
    assert "original_kept" in _failures(Candidate(document, tuple(mentions), slipped))


def test_documents_without_such_mentions_stay_as_they_were(policy: Policy, communes: CommuneTable) -> None:
    document, mentions = marked("Vu le [[DATE|3 mars 2020]] à [[CITY|Dijon]].", reference_date=ANCHOR)
    one, other = (
        Substitutor(chosen, KEY, communes).substitute(document, mentions)
        for chosen in (policy, _with(policy, "generalise"))
    )
    assert one == other

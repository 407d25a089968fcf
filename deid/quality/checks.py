"""The checks of a document: the number judged, its bounds, its severity and its meaning for a steward."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from types import MappingProxyType

from deid.config.policy import Hiding, Quality
from deid.domain.errors import Reason
from deid.domain.outcomes import Severity

COUNTED = 1e9  # bound of a number that is counted, and never too great


@dataclass(frozen=True, slots=True)
class Check:
    """A rule on one number of `deid.quality.measures`, which fails outside [`least`, `most`].

    `reason` is the reason of quarantine of a critical failure. `french` and `english` state the rule in one sentence.
    """

    name: str
    severity: Severity
    reason: Reason | None
    french: str
    english: str
    least: float = 0.0
    most: float = 0.0


def _rules(
    severity: Severity, reason: Reason | None, *rules: tuple[str, str, str], least: float = 0.0, most: float = 0.0
) -> Iterator[Check]:
    """Yield checks, given as (name, French, English), that share a severity, a reason and bounds."""
    for name, french, english in rules:
        yield Check(name, severity, reason, french, english, least, most)


_critical = partial(_rules, Severity.CRITICAL)

# In the order of the reasons given: the first critical failure names the reason of a document in quarantine.
CHECKS: tuple[Check, ...] = (
    *_critical(
        Reason.EMPTY,
        ("output_empty", "Le texte produit n'est pas vide.", "The output is not empty."),
    ),
    *_critical(
        Reason.INCONSISTENT,
        ("unmeasured", "Le document a pu être contrôlé de bout en bout.", "The document was checked from end to end."),
    ),
    *_critical(
        Reason.NOT_FRENCH,
        ("language_foreign", "Le document est en français.", "The document is in French."),
    ),
    *_critical(
        Reason.UNCHANGED,
        (
            "text_unchanged",
            "Un texte où rien n'a été remplacé ne montre aucun signe d'une personne ou d'un lieu.",
            "A text in which nothing was replaced shows no sign of a person or place.",
        ),
    ),
    *_critical(
        Reason.RESIDUAL_IDENTITY,
        (
            "identity_name",
            "Aucun nom du patient ne subsiste, même accolé, sans accent ou coupé.",
            "No name of the patient remains, even joined to a word, unaccented or broken.",
        ),
        (
            "identity_number",
            "Aucun identifiant du patient (IPP, séjour, NIR) ne subsiste.",
            "No identifier of the patient remains.",
        ),
        (
            "identity_birth_date",
            "La date de naissance du patient ne subsiste sous aucune forme écrite.",
            "The patient's birth date remains in no written form.",
        ),
        (
            "identity_contact",
            "Aucun téléphone ni courriel du patient ne subsiste.",
            "No phone or e-mail of the patient remains.",
        ),
        (
            "identity_address",
            "L'adresse du patient (voie, code postal, commune) ne subsiste pas.",
            "The patient's address does not remain.",
        ),
        (
            "identity_fuzzy",
            "Aucun mot ne ressemble à un nom du patient à une faute de frappe près.",
            "No word is a misspelling of a name of the patient.",
        ),
    ),
    *_critical(
        Reason.RESIDUAL_PATTERN,
        (
            "residual_nir",
            "Aucun numéro de sécurité sociale hors des substituts.",
            "No social security number outside surrogates.",
        ),
        ("residual_phone", "Aucun numéro de téléphone hors des substituts.", "No phone number outside surrogates."),
        ("residual_email", "Aucun courriel hors des substituts.", "No e-mail address outside surrogates."),
        ("residual_url", "Aucune adresse web hors des substituts.", "No web address outside surrogates."),
        ("residual_iban", "Aucun IBAN hors des substituts.", "No IBAN outside surrogates."),
        ("residual_date", "Aucune date complète hors des substituts.", "No full date outside surrogates."),
        (
            "residual_digits",
            "Aucune suite de sept chiffres ou plus hors des substituts.",
            "No run of seven digits or more outside surrogates.",
        ),
        (
            "residual_encoded",
            "Aucun texte codé en base64 hors des substituts.",
            "No text in base64 outside surrogates.",
        ),
        (
            "residual_script",
            "Aucun mot dans une autre écriture (cyrillique, arabe…) ni en lettres encerclées.",
            "No word in another script (Cyrillic, Arabic…) or in enclosed letters.",
        ),
        (
            "order_overridden",
            "Les caractères se lisent dans l'ordre où ils sont écrits.",
            "Characters are read in the order in which they stand.",
        ),
    ),
    *_critical(
        Reason.RESIDUAL_PATTERN,
        (
            "contact_unmarked",
            "Tout téléphone, courriel ou lien porte la marque des substituts (politique « marked »).",
            "Every phone number, e-mail and web address bears the mark of surrogates (policy `marked`).",
        ),
        most=COUNTED,
    ),
    *_critical(
        Reason.ORIGINAL_KEPT,
        ("original_kept", "Aucun substitut n'est égal à sa valeur d'origine.", "No surrogate equals its original."),
        (
            "drawn_all_kept",
            "Les dates, âges et lieux ne sont pas tous restés tels quels.",
            "Not all dates, ages and places are equal to their originals.",
        ),
    ),
    *_critical(
        Reason.DATE_IMPOSSIBLE,
        (
            "unparsed_unmasked",
            "Toute valeur non comprise est masquée.",
            "Every value that was not understood is masked.",
        ),
        ("dates_impossible", "Toute date de substitution existe dans le calendrier.", "Every surrogate date exists."),
    ),
    *_critical(
        Reason.DATE_ORDER,
        (
            "dates_disordered",
            "Les dates se suivent dans le même ordre que dans l'original.",
            "Dates are in the same order as in the source.",
        ),
    ),
    *_critical(
        Reason.INCONSISTENT,
        (
            "spans_broken",
            "Chaque substitut est à la place de sa mention.",
            "Each surrogate is in the place of its mention.",
        ),
        ("mentions_lost", "Il y a autant de substituts que de mentions.", "There are as many surrogates as mentions."),
        ("context_altered", "Rien d'autre que les mentions n'a changé.", "Nothing but the mentions has changed."),
        ("lines_changed", "Le nombre de lignes est le même.", "The number of lines is the same."),
    ),
    *_critical(
        Reason.INCONSISTENT,
        (
            "length_ratio",
            "La longueur reste du même ordre (du tiers au triple).",
            "The length stays similar (a third to three times).",
        ),
        least=1 / 3,
        most=3.0,
    ),
    *_critical(
        Reason.INCONSISTENT,
        (
            "markup_differs",
            "La page mise en forme montre exactement le texte contrôlé.",
            "The formatted page shows exactly the text that was checked.",
        ),
        (
            "markup_unsafe",
            "La page ne contient rien de caché (commentaire, script, attribut).",
            "The page holds nothing hidden (comment, script, attribute).",
        ),
    ),
    *_critical(
        Reason.CLINICAL_CONTENT_CHANGED,
        (
            "clinical_content_changed",
            "Peu de valeurs, doses, scores, résultats et médicaments ont changé (limite de la politique).",
            "Few values, doses, scores, results and drugs have changed (the policy's limit).",
        ),
    ),
    *_rules(
        Severity.WARNING,
        None,
        (
            "clinical_value_changed",
            "Aucune valeur, dose, ni aucun score, résultat ou médicament n'a changé.",
            "No value, dose, score, result or drug has changed.",
        ),
        (
            "identity_ordinary_word",
            "Un mot courant qui est aussi un nom du patient n'apparaît pas.",
            "An ordinary word that is also a name of the patient does not appear.",
        ),
        (
            "identity_unknown",
            "L'entrepôt connaît l'identité du patient.",
            "The warehouse knows the patient's identity.",
        ),
        (
            "residual_month",
            "Aucun mois daté (« mars 2020 ») hors des substituts.",
            "No dated month outside surrogates.",
        ),
        (
            "dates_unread",
            "Toute date de substitution est lisible par le contrôle.",
            "Every surrogate date can be read by the check.",
        ),
        ("words_cut", "Aucune mention ne coupe un mot.", "No mention cuts a word."),
        (
            "mentions_none",
            "Un document de 200 caractères ou plus contient au moins une mention.",
            "A document of 200 characters or more holds at least one mention.",
        ),
    ),
    *_rules(
        Severity.INFO,
        None,
        (
            "drawn_kept",
            "Dates, âges ou lieux que le tirage au sort a laissés égaux à eux-mêmes : prévu, et "
            "indiscernable d'un autre.",
            "Dates, ages or places equal to their random replacement: expected, and indistinguishable from the others.",
        ),
        (
            "names_disagree",
            "Les formes d'un même nom ont un même substitut, dans les documents d'un patient.",
            "The forms of one name have one surrogate, over a patient's documents.",
        ),
        (
            "articles_disagree",
            "Élisions et articles s'accordent avec le lieu ou l'organisation de substitution.",
            "Elisions and articles agree with the surrogate place or organisation.",
        ),
    ),
    *_rules(
        Severity.INFO,
        None,
        (
            "clinical_items",
            "Valeurs et termes cliniques relevés dans le texte d'origine.",
            "Clinical values and terms read in the source.",
        ),
        most=COUNTED,
    ),
)


def checks_within(limits: Quality, hiding: Hiding) -> tuple[Check, ...]:
    """Return the checks with the policy's limits on clinical values that changed; natural contacts bear no mark."""
    most = {
        "contact_unmarked": 0.0 if hiding == "marked" else COUNTED,
        "clinical_content_changed": float(limits.max_clinical_changes),
        "clinical_value_changed": float(limits.warn_clinical_changes - 1),
    }
    return tuple(replace(check, most=most.get(check.name, check.most)) for check in CHECKS)


BY_NAME: Mapping[str, Check] = MappingProxyType({check.name: check for check in CHECKS})

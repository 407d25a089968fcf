"""The row-level checks: which number is judged, between which bounds, how severely, and what it means to a steward."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from deid.domain.errors import Reason
from deid.domain.outcomes import Severity


@dataclass(frozen=True, slots=True)
class Check:
    """One rule on one number of `deid.quality.measures`.

    A document fails when the number is outside [`least`, `most`]. `reason` is why a critical failure puts it in
    quarantine. `french` and `english` say what the rule demands, in one sentence.
    """

    name: str
    severity: Severity
    reason: Reason | None
    french: str
    english: str
    least: float = 0.0
    most: float = 0.0


def _critical(name: str, reason: Reason, french: str, english: str, **bounds: float) -> Check:
    return Check(name, Severity.CRITICAL, reason, french, english, **bounds)


def _warning(name: str, french: str, english: str, **bounds: float) -> Check:
    return Check(name, Severity.WARNING, None, french, english, **bounds)


# In the order in which reasons are given: the first critical failure names why a document is held back.
CHECKS: tuple[Check, ...] = (
    _critical("output_empty", Reason.EMPTY, "Le texte produit n'est pas vide.", "The output is not empty."),
    _critical(
        "unmeasured",
        Reason.INCONSISTENT,
        "Le document a pu être contrôlé de bout en bout.",
        "The document could be checked from end to end.",
    ),
    _critical("language_foreign", Reason.NOT_FRENCH, "Le document est en français.", "The document is in French."),
    _critical(
        "text_unchanged",
        Reason.UNCHANGED,
        "Le texte produit diffère du texte d'origine.",
        "The output differs from the source.",
    ),
    _critical(
        "identity_name",
        Reason.RESIDUAL_IDENTITY,
        "Aucun nom du patient ne subsiste, même accolé, sans accent ou coupé.",
        "No name of the patient survives, even glued, unaccented or broken.",
    ),
    _critical(
        "identity_number",
        Reason.RESIDUAL_IDENTITY,
        "Aucun identifiant du patient (IPP, séjour, NIR) ne subsiste.",
        "No identifier of the patient survives.",
    ),
    _critical(
        "identity_birth_date",
        Reason.RESIDUAL_IDENTITY,
        "La date de naissance du patient ne subsiste sous aucune forme écrite.",
        "The patient's birth date survives in no written form.",
    ),
    _critical(
        "identity_contact",
        Reason.RESIDUAL_IDENTITY,
        "Aucun téléphone ni courriel du patient ne subsiste.",
        "No phone or e-mail of the patient survives.",
    ),
    _critical(
        "identity_address",
        Reason.RESIDUAL_IDENTITY,
        "L'adresse du patient (voie, code postal, commune) ne subsiste pas.",
        "The patient's address does not survive.",
    ),
    _critical(
        "identity_fuzzy",
        Reason.RESIDUAL_IDENTITY,
        "Aucun mot ne ressemble à un nom du patient à une faute de frappe près.",
        "No word is a misspelling of a name of the patient.",
    ),
    _critical(
        "residual_nir",
        Reason.RESIDUAL_PATTERN,
        "Aucun numéro de sécurité sociale hors des substituts.",
        "No social security number outside surrogates.",
    ),
    _critical(
        "residual_phone",
        Reason.RESIDUAL_PATTERN,
        "Aucun numéro de téléphone hors des substituts.",
        "No phone number outside surrogates.",
    ),
    _critical(
        "residual_email",
        Reason.RESIDUAL_PATTERN,
        "Aucun courriel hors des substituts.",
        "No e-mail address outside surrogates.",
    ),
    _critical(
        "residual_url",
        Reason.RESIDUAL_PATTERN,
        "Aucune adresse web hors des substituts.",
        "No web address outside surrogates.",
    ),
    _critical(
        "residual_iban",
        Reason.RESIDUAL_PATTERN,
        "Aucun IBAN hors des substituts.",
        "No IBAN outside surrogates.",
    ),
    _critical(
        "residual_date",
        Reason.RESIDUAL_PATTERN,
        "Aucune date complète hors des substituts.",
        "No full date outside surrogates.",
    ),
    _critical(
        "residual_digits",
        Reason.RESIDUAL_PATTERN,
        "Aucune suite de sept chiffres ou plus hors des substituts.",
        "No run of seven digits or more outside surrogates.",
    ),
    _critical(
        "original_kept",
        Reason.ORIGINAL_KEPT,
        "Aucun substitut n'est égal à sa valeur d'origine.",
        "No surrogate equals its original.",
    ),
    _critical(
        "drawn_all_kept",
        Reason.ORIGINAL_KEPT,
        "Les dates, âges et lieux ne sont pas tous restés tels quels.",
        "Dates, ages and places have not all stayed as they were.",
    ),
    _critical(
        "unparsed_unmasked",
        Reason.DATE_IMPOSSIBLE,
        "Toute valeur non comprise est masquée.",
        "Every value that was not understood is masked.",
    ),
    _critical(
        "dates_impossible",
        Reason.DATE_IMPOSSIBLE,
        "Toute date de substitution existe dans le calendrier.",
        "Every surrogate date exists.",
    ),
    _critical(
        "dates_disordered",
        Reason.DATE_ORDER,
        "Les dates se suivent dans le même ordre que dans l'original.",
        "Dates follow each other as in the source.",
    ),
    _critical(
        "spans_broken",
        Reason.INCONSISTENT,
        "Chaque substitut est à la place de sa mention.",
        "Each surrogate stands in its mention's place.",
    ),
    _critical(
        "mentions_lost",
        Reason.INCONSISTENT,
        "Il y a autant de substituts que de mentions.",
        "There are as many surrogates as mentions.",
    ),
    _critical(
        "context_altered",
        Reason.INCONSISTENT,
        "Rien d'autre que les mentions n'a changé.",
        "Nothing but the mentions has changed.",
    ),
    _critical(
        "lines_changed",
        Reason.INCONSISTENT,
        "Le nombre de lignes est le même.",
        "The number of lines is the same.",
    ),
    _critical(
        "length_ratio",
        Reason.INCONSISTENT,
        "La longueur reste du même ordre (du tiers au triple).",
        "The length stays of the same order (a third to three times).",
        least=1 / 3,
        most=3.0,
    ),
    _critical(
        "markup_differs",
        Reason.INCONSISTENT,
        "La page mise en forme montre exactement le texte contrôlé.",
        "The formatted page shows exactly the text that was checked.",
    ),
    _critical(
        "markup_unsafe",
        Reason.INCONSISTENT,
        "La page ne contient rien de caché (commentaire, script, attribut).",
        "The page holds nothing hidden (comment, script, attribute).",
    ),
    _warning(
        "identity_ordinary_word",
        "Un mot courant qui est aussi un nom du patient n'apparaît pas.",
        "An ordinary word that is also a name of the patient does not appear.",
    ),
    _warning(
        "identity_unknown",
        "L'entrepôt connaît l'identité du patient.",
        "The warehouse knows who the patient is.",
    ),
    _warning(
        "residual_month",
        "Aucun mois daté (« mars 2020 ») hors des substituts.",
        "No dated month outside surrogates.",
    ),
    _warning(
        "dates_unread",
        "Toute date de substitution est lisible par le contrôle.",
        "Every surrogate date can be read by the check.",
    ),
    _warning(
        "words_cut",
        "Aucune mention ne coupe un mot.",
        "No mention cuts a word.",
    ),
    _warning(
        "mentions_none",
        "Un document de 200 caractères ou plus contient au moins une mention.",
        "A document of 200 characters or more holds at least one mention.",
    ),
    Check(
        "drawn_kept",
        Severity.INFO,
        None,
        "Dates, âges ou lieux que le tirage au sort a laissés égaux à eux-mêmes : prévu, et indiscernable d'un autre.",
        "Dates, ages or places that the draw left equal to themselves: expected, and no reader can tell.",
    ),
)

BY_NAME: Mapping[str, Check] = MappingProxyType({check.name: check for check in CHECKS})

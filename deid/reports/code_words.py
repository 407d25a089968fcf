"""Words for the codes that people meet on pages and reports: settings of the policy and their values, mechanisms of ε,
usual codes of document types. French first, then English; the code itself is shown beside its words.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from deid.domain.labels import FRENCH as LABELS_FRENCH
from deid.refresh.sources import SOURCES
from deid.reports.wording import LABELS_ENGLISH

Words = tuple[str, str]

# Setting → words. What a hospital names itself (a label's key, a type, an option) follows the words of its parent.
SETTINGS: Mapping[str, Words] = MappingProxyType(
    {
        "version": ("Version du format de la politique", "Version of the policy's format"),
        "name": ("Nom de la politique", "Name of the policy"),
        "detection.annotators": ("Annotateurs", "Annotators"),
        "detection.merge": ("Fusion des annotateurs", "Merging of the annotators"),
        "detection.weights": ("Poids d'un annotateur pour une catégorie", "Weight of an annotator for a label"),
        "detection.recall": ("Préférence donnée au rappel", "Preference for recall"),
        "detection.threshold": ("Score minimal d'une mention", "Least score of a mention"),
        "detection.connectors": ("Mots de liaison dans un nom", "Connecting words within a name"),
        "detection.allow": ("Termes jamais repérés", "Terms that are never found"),
        "detection.repeat_names": (
            "Recherche d'un nom trouvé dans tout le document",
            "Search of a found name in the whole document",
        ),
        "detection.repeat_across_documents": (
            "Recherche d'un nom rare dans les autres documents du patient",
            "Search of a rare name in the patient's other documents",
        ),
        "detection.settle_roles": ("Rôle d'un nom tranché par document", "Role of a name settled per document"),
        "detection.foreign": ("Documents qui ne sont pas en français", "Documents that are not in French"),
        "types": ("Type propre à l'hôpital", "Type of the hospital's own"),
        "substitution.scope": ("Portée d'un substitut constant", "Scope within which a surrogate is constant"),
        "substitution.epsilon_per_document": ("Budget ε par document", "ε budget per document"),
        "substitution.split": ("Partage du budget ε", "Split of the ε budget"),
        "substitution.weights": ("Poids du partage d'ε", "Weight in the split of ε"),
        "substitution.elements_per_document": (
            "Éléments par document pour le partage d'ε",
            "Elements per document for the split of ε",
        ),
        "substitution.max_epsilon_per_document": ("ε au plus par document", "Most ε per document"),
        "substitution.max_epsilon_per_patient": ("ε au plus par patient", "Most ε per patient"),
        "substitution.rotation": ("Effet d'une nouvelle version du secret", "Effect of a new version of the secret"),
        "substitution.professionals": ("Portée du substitut d'un soignant", "Scope of a professional's surrogate"),
        "substitution.hiding": ("Substituts des coordonnées", "Surrogates of contacts"),
        "substitution.repeated_names": ("Répétitions d'un nom", "Repetitions of a name"),
        "substitution.keep_name": (
            "Probabilité de garder le substitut d'un nom répété",
            "Probability that a repeated name keeps its surrogate",
        ),
        "substitution.dates.strategy": ("Stratégie des dates", "Strategy for dates"),
        "substitution.dates.anchor_scale_days": (
            "Échelle du décalage d'un patient (jours)",
            "Scale of a patient's shift (days)",
        ),
        "substitution.dates.document_date": ("Date du document", "Date of the document"),
        "substitution.dates.shift_min_days": ("Décalage uniforme, au moins (jours)", "Uniform shift, at least (days)"),
        "substitution.dates.shift_max_days": ("Décalage uniforme, au plus (jours)", "Uniform shift, at most (days)"),
        "substitution.dates.granularity": ("Finesse des dates généralisées", "Granularity of generalised dates"),
        "substitution.dates.duration_tolerance_days": (
            "Écart permis d'une durée à ses dates (jours)",
            "Tolerance between a length and its dates (days)",
        ),
        "substitution.dates.duration_tolerance_share": (
            "Écart permis d'une durée à ses dates (part)",
            "Tolerance between a length and its dates (share)",
        ),
        "substitution.dates.moves": ("Ce qui se déplace ensemble", "What moves together"),
        "substitution.dates.episode_epsilon": ("ε par jour d'un épisode", "ε per day of an episode"),
        "substitution.dates.days_before": ("Fenêtre avant un séjour (jours)", "Window before a stay (days)"),
        "substitution.dates.days_after": ("Fenêtre après un séjour (jours)", "Window after a stay (days)"),
        "substitution.dates.kept_days": ("Écarts gardés tels quels, au plus (jours)", "Distances kept, at most (days)"),
        "substitution.dates.history_epsilon": ("ε des dates anciennes, par unité", "ε of dates of the past, per unit"),
        "substitution.ages.strategy": ("Stratégie des âges", "Strategy for ages"),
        "substitution.ages.top_code": ("Âge à partir duquel on écrit « et plus »", "Age written as “and more”"),
        "substitution.ages.band_years": ("Largeur des tranches d'âge (années)", "Width of age bands (years)"),
        "substitution.ages.paediatric_unit": ("Unité des âges de moins de 18 ans", "Unit of ages under 18"),
        "substitution.places.strategy": ("Stratégie des communes", "Strategy for communes"),
        "substitution.places.features": ("Profil de commune à garder proche", "Profile of communes kept close"),
        "substitution.places.neighbours": ("Nombre de communes voisines", "Number of neighbouring communes"),
        "substitution.places.radius_km": ("Rayon de recherche (km)", "Radius of the search (km)"),
        "substitution.places.unit_km": ("Kilomètres par unité d'ε", "Kilometres per unit of ε"),
        "substitution.labels": ("Générateur choisi pour une catégorie", "Generator chosen for a label"),
        "quality.max_quarantined_share": ("Part en quarantaine : arrêt", "Share in quarantine: stop"),
        "quality.warn_quarantined_share": ("Part en quarantaine : alerte", "Share in quarantine: warning"),
        "quality.max_failed_share": ("Part d'échecs techniques : arrêt", "Share of technical failures: stop"),
        "quality.max_without_mentions_share": ("Part sans mention : arrêt", "Share without mentions: stop"),
        "quality.warn_without_mentions_share": ("Part sans mention : alerte", "Share without mentions: warning"),
        "quality.max_unparsed_share": ("Part de valeurs illisibles : arrêt", "Share of unreadable values: stop"),
        "quality.warn_unparsed_share": ("Part de valeurs illisibles : alerte", "Share of unreadable values: warning"),
        "quality.max_foreign_share": ("Part en langue étrangère : arrêt", "Share in another language: stop"),
        "quality.warn_foreign_share": ("Part en langue étrangère : alerte", "Share in another language: warning"),
        "quality.warn_warned_share": ("Part de documents avec alerte", "Share of documents with a warning"),
        "quality.warn_epsilon_factor": (
            "Multiple du budget ε à partir duquel un document alerte",
            "Multiple of the ε budget from which a document warns",
        ),
        "quality.density_floor": ("Densité de mentions : arrêt sous cette part", "Density of mentions: stop below"),
        "quality.density_drift": ("Densité de mentions : alerte à cet écart", "Density of mentions: warning beyond"),
        "quality.baseline_runs": ("Intervalles précédents comparés", "Intervals before that are compared"),
        "quality.least_documents": ("Documents nécessaires pour juger", "Documents needed to judge"),
        "quality.unknown_identity": ("Patient sans identité à la source", "Patient without identity at the source"),
        "quality.warn_clinical_changes": ("Valeurs cliniques changées : alerte", "Clinical values changed: warning"),
        "quality.max_clinical_changes": ("Valeurs cliniques changées : arrêt", "Clinical values changed: stop"),
        "quality.warn_clinical_changed_share": (
            "Part de valeurs cliniques changées : alerte",
            "Share of clinical values changed: warning",
        ),
        "quality.patient_disagreement": (
            "Désaccord avec les autres documents du patient",
            "Disagreement with the patient's other documents",
        ),
        "references.max_age_days": ("Âge permis d'un référentiel (jours)", "Allowed age of reference data (days)"),
        "release.approval": ("Approbation par une personne", "Approval by a person"),
        "release.approvals": ("Nombre d'approbations", "Number of approvals"),
        "release.own_approval": ("Approbation de son propre traitement", "Approval of one's own run"),
        "release.second_review": ("Seconde approbation", "Second approval"),
        "release.ready_by": ("Heure à laquelle une nuit doit être prête", "Time by which a night must be ready"),
        "release.decision_hours": ("Délai de décision (heures)", "Time to decide (hours)"),
        "release.review.target": ("Relecture : part de fuites à exclure", "Review: share of leaks to exclude"),
        "release.review.confidence": ("Relecture : confiance", "Review: confidence"),
        "release.review.readings": ("Relecture : lectures par document", "Review: readings per document"),
        "release.review.automatic": ("Relecture ouverte d'office", "Review opened automatically"),
        "release.review.keep_days": ("Relecture : conservation des textes (jours)", "Review: days that texts are kept"),
        "release.review.sentinels": (
            "Relecture : part de documents à sentinelle",
            "Review: share of documents with a sentinel",
        ),
        "release.review.fastest_reading": (
            "Relecture : lecture la plus rapide qui compte (signes par seconde)",
            "Review: fastest reading that counts (characters per second)",
        ),
        "release.visible": ("Rythme de mise à disposition", "How often releases become readable"),
        "release.training_export": ("Export de textes d'entraînement", "Export of training texts"),
        "release.evaluate": ("Évaluation de chaque publication", "Evaluation of each release"),
        "publication.files": ("Fichiers publiés", "Files published"),
        "publication.columns": ("Colonnes publiées avec le texte", "Columns published beside the text"),
        "publication.services": ("Catégories de services publiées", "Categories of services published"),
        "publication.spans": ("Place des substituts publiée", "Where surrogates stand, published"),
        "promotion.metric": ("Mesure qui décide d'un modèle", "Measure that decides on a model"),
        "promotion.tolerance": ("Baisse de rappel tolérée", "Tolerated fall of recall"),
        "promotion.least_documents": ("Documents nécessaires pour comparer", "Documents needed to compare"),
    }
)

# Parts of a label's choice of generator and of a hospital's own type, whose names come before in a setting's key.
PARTS: Mapping[str, Words] = MappingProxyType(
    {
        "provider": ("générateur", "generator"),
        "options": ("options", "options"),
        "label": ("catégorie de base", "base label"),
        "names": ("noms", "names"),
        "fr": ("français", "French"),
        "en": ("anglais", "English"),
        "patterns": ("motifs", "patterns"),
        "case": ("casse", "case"),
        "validator": ("preuve exigée", "required proof"),
        "dictionary": ("dictionnaire", "dictionary"),
        "dictionary_digest": ("empreinte du dictionnaire", "digest of the dictionary"),
        "weight": ("poids", "weight"),
        "join": ("jonction", "join"),
        "partners": ("avec", "with"),
        "between": ("entre les deux", "between the two"),
        "text": ("texte fixe", "constant text"),
        "surrogates": ("liste des substituts", "list of surrogates"),
        "surrogates_digest": ("empreinte de la liste", "digest of the list"),
    }
)

# Setting, or last part of its key → value → words; "" holds the values that mean the same wherever they stand.
VALUES: Mapping[str, Mapping[str, Words]] = MappingProxyType(
    {
        "": {
            "true": ("oui", "yes"),
            "false": ("non", "no"),
            "tag": ("la catégorie à la place", "the label instead"),
            "patient": ("par patient", "per patient"),
            "document": ("par document", "per document"),
            "corpus": ("pour tous les patients", "for all patients"),
            "metric": ("bruit sur chaque valeur", "noise on each value"),
            "bounded_laplace": ("bruit sur les intervalles entre valeurs", "noise on intervals between values"),
            "generalise": ("généralisation", "generalisation"),
            "year": ("année", "year"),
            "quarter": ("trimestre", "quarter"),
            "month": ("mois", "month"),
        },
        "provider": {
            "format_preserving": ("substitut vraisemblable", "plausible surrogate"),
            "redact": ("caviardage", "redaction"),
            "tag": ("la catégorie et un numéro", "the label and a number"),
            "hash": ("empreinte", "hash"),
            "null": ("effacement", "erasure"),
            "mask": ("masque", "mask"),
            "truncate": ("troncature", "truncation"),
            "shift": ("décalage", "shift"),
            "randomise": ("tirage au sort", "random draw"),
            "keep": ("laissé dans le texte", "left in the text"),
            "constant": ("texte fixe", "constant text"),
            "list": ("liste de l'hôpital", "list of the hospital's"),
        },
        "case": {"any": ("sans distinction", "any"), "written": ("telle qu'écrite", "as written")},
        "validator": {
            "luhn": ("somme de Luhn", "Luhn sum"),
            "mod97": ("clé modulo 97", "key modulo 97"),
            "mod11": ("clé modulo 11", "key modulo 11"),
            "finess": ("numéro FINESS", "FINESS number"),
            "nir": ("clé du NIR", "key of the NIR"),
            "iban": ("clé IBAN", "IBAN key"),
            "date": ("date qui existe", "date that exists"),
        },
        "detection.merge": {
            "average": ("moyenne des probabilités", "average of probabilities"),
            "weights": ("poids par annotateur et catégorie", "weights per annotator and label"),
            "procedure": ("procédure de Tchouka et al. 2022", "procedure of Tchouka et al. 2022"),
        },
        "detection.foreign": {
            "quarantine": ("en quarantaine", "to quarantine"),
            "patterns": ("motifs et identité seulement", "patterns and identity only"),
        },
        "substitution.split": {
            "nominal": ("nombre d'éléments fixé", "fixed number of elements"),
            "uniform": ("nombre d'éléments du document", "the document's own number of elements"),
            "weighted": ("pondéré entre temps et lieux", "weighted between time and place"),
        },
        "substitution.max_epsilon_per_document": {"null": ("sans limite", "no limit")},
        "substitution.max_epsilon_per_patient": {"null": ("sans limite", "no limit")},
        "substitution.rotation": {
            "redo": ("le document est refait", "the document is processed again"),
            "keep": ("le document est gardé", "the document is kept"),
        },
        "substitution.professionals": {"scope": ("comme les autres noms", "as other names")},
        "substitution.hiding": {
            "marked": ("reconnaissables", "recognisable"),
            "natural": ("ordinaires", "ordinary"),
        },
        "substitution.repeated_names": {
            "consistent": ("un seul substitut", "one surrogate"),
            "changing": ("des substituts qui changent", "changing surrogates"),
        },
        "substitution.dates.strategy": {
            "uniform_shift": ("même décalage pour toutes les dates", "one shift for all dates"),
            "episodes": ("les dates d'un séjour se déplacent ensemble", "the dates of a stay move together"),
        },
        "substitution.dates.document_date": {"shift": ("décalage du patient seul", "the patient's shift alone")},
        "substitution.dates.moves": {
            "stay": ("le séjour", "the stay"),
            "day": ("chaque jour à part", "each day by itself"),
        },
        "substitution.ages.strategy": {
            "stages": ("dans le même stade de la vie", "within the same stage of life"),
        },
        "substitution.places.strategy": {
            "health_exponential": ("commune du territoire au profil proche", "commune of the territory, close profile"),
            "knn_exponential": ("parmi les communes voisines", "among neighbouring communes"),
            "geo_indistinguishability": ("commune d'un point bruité", "commune of a noisy point"),
        },
        "quality.unknown_identity": {
            "refuse": ("document refusé", "document refused"),
            "warn": ("publié avec une alerte", "published with a warning"),
        },
        "quality.patient_disagreement": {
            "count": ("compté", "counted"),
            "hold": ("document retenu", "document held back"),
        },
        "release.approval": {
            "always": ("toujours", "always"),
            "on_warning": ("sur alerte", "on a warning"),
            "never": ("jamais", "never"),
        },
        "release.second_review": {
            "open": ("après avoir lu la première", "after reading the first"),
            "blind": ("à l'aveugle", "blind"),
        },
        "release.visible": {
            "nightly": ("chaque nuit", "nightly"),
            "weekly": ("chaque semaine", "weekly"),
            "monthly": ("chaque mois", "monthly"),
        },
        "publication.files": {
            "none": ("aucun", "none"),
            "rewritten": ("réécrits avec les substituts", "rewritten with surrogates"),
        },
        "publication.columns": {
            "sex": ("sexe", "sex"),
            "age_class": ("classe d'âge", "age class"),
            "birth_year": ("année de naissance de substitution", "surrogate year of birth"),
        },
        "promotion.metric": {
            "clean": ("documents sans identifiant direct", "documents without direct identifier"),
            "exact_f1": ("F1, bornes exactes", "F1, exact bounds"),
            "overlap_f1": ("F1, recouvrement", "F1, overlap"),
            "overlap_recall": ("rappel, recouvrement", "recall, overlap"),
            "token_f1": ("F1, par mot", "F1, per token"),
            "token_recall": ("rappel, par mot", "recall, per token"),
        },
    }
)

MECHANISMS: Mapping[str, Words] = MappingProxyType(
    {
        "discrete_laplace": ("bruit de Laplace discret", "discrete Laplace noise"),
        "discrete_laplace per day of birth": (
            "bruit de Laplace discret, par jour de naissance",
            "discrete Laplace noise, per day of birth",
        ),
        "bounded_laplace": ("bruit de Laplace borné", "bounded Laplace noise"),
        "uniform_shift": ("décalage uniforme", "uniform shift"),
        "generalise": ("généralisation", "generalisation"),
        "exponential": ("mécanisme exponentiel", "exponential mechanism"),
        "exponential per month, stage": (
            "mécanisme exponentiel, par mois, stade de la vie",
            "exponential mechanism, per month, stage of life",
        ),
        "knn_exponential": ("mécanisme exponentiel parmi les voisines", "exponential mechanism among neighbours"),
        "planar_laplace": ("bruit de Laplace dans le plan", "planar Laplace noise"),
        "tag": ("la catégorie à la place", "the label instead"),
    }
)

# Codes that French warehouses commonly use; a hospital's other codes are shown as they are.
DOCUMENT_TYPES: Mapping[str, Words] = MappingProxyType(
    {
        "CRH": ("Compte rendu d'hospitalisation", "Discharge summary"),
        "LSO": ("Lettre de liaison à la sortie", "Discharge letter"),
        "CS": ("Compte rendu de consultation", "Consultation note"),
        "URG": ("Passage aux urgences", "Emergency visit"),
        "CRO": ("Compte rendu opératoire", "Operative note"),
        "ACP": ("Anatomie et cytologie pathologiques", "Pathology report"),
        "IMG": ("Imagerie médicale", "Imaging report"),
        "BIO": ("Examens biologiques", "Laboratory report"),
        "CPA": ("Consultation pré-anesthésique", "Pre-anaesthetic visit"),
        "IDE": ("Transmissions infirmières", "Nursing notes"),
        "ORD": ("Ordonnance", "Prescription"),
        "SOC": ("Rapport social", "Social report"),
        "CERT": ("Certificat médical", "Medical certificate"),
        "RCP": ("Réunion de concertation", "Multidisciplinary meeting"),
    }
)


def setting_words(key: str, lang: str) -> str:
    """Return the words for a setting of the policy, given as "detection.recall.CITY"; "" where there are none."""
    parent = key
    while parent and parent not in SETTINGS:
        parent = parent.rpartition(".")[0]
    if not parent:
        return ""
    labels = {str(label): name for label, name in (LABELS_FRENCH if lang == "fr" else LABELS_ENGLISH).items()}
    known = {part: _in(words, lang) for part, words in PARTS.items()} | labels
    if lang == "fr":
        known |= {name: source.title for name, source in SOURCES.items()}
    rest = [part for part in key.removeprefix(parent).split(".") if part]
    said = ", ".join(known.get(part, part) for part in rest)
    return _in(SETTINGS[parent], lang) + (f" ({said})" if said else "")


def value_words(key: str, value: str, lang: str) -> str:
    """Return the words for the value of a setting; "" where the value speaks for itself (a number, a list)."""
    for table in (key, key.rpartition(".")[2], ""):
        if value in VALUES.get(table, {}):
            return _in(VALUES[table][value], lang)
    return ""


def mechanism_words(name: str, lang: str) -> str:
    """Return the words for a mechanism of the ledger; its name if it is not one of the product's."""
    stem, _, number = name.rpartition(" ")
    if number.isdigit() and stem in MECHANISMS:
        return f"{_in(MECHANISMS[stem], lang)} {number}"
    return _in(MECHANISMS[name], lang) if name in MECHANISMS else name


def document_type_words(code: str | None, lang: str) -> str:
    """Return the words for a usual code of a document type; "" for any other."""
    return _in(DOCUMENT_TYPES[code], lang) if code is not None and code in DOCUMENT_TYPES else ""


def _in(words: Words, lang: str) -> str:
    return words[lang != "fr"]

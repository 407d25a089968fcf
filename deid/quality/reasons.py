"""The reasons of quarantine: their wording in French and English, and the reasons that a person may waive."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from deid.domain.errors import Reason
from deid.domain.outcomes import Verdict
from deid.quality.checks import BY_NAME, CHECKS


@dataclass(frozen=True, slots=True)
class Wording:
    """The wording of a reason: short name, meaning, remedy."""

    title: str
    meaning: str
    remedy: str


FRENCH: Mapping[Reason, Wording] = MappingProxyType(
    {
        Reason.EMPTY: Wording(
            "Document vide",
            "Le document ne contient aucun texte, ou la désidentification n'en a laissé aucun.",
            "Le vérifier dans l'entrepôt ; une image numérisée demande d'abord une reconnaissance de texte.",
        ),
        Reason.UNDECODABLE: Wording(
            "Caractères illisibles",
            "Les octets du document ne correspondent pas à l'encodage annoncé.",
            "Faire corriger l'encodage déclaré dans l'entrepôt (UTF-8, Windows-1252…), puis relancer la nuit.",
        ),
        Reason.NOT_TEXT: Wording(
            "Fichier d'un autre format",
            "Le contenu annoncé comme du texte est un fichier RTF, PDF, bureautique, une image ou une archive.",
            "Faire extraire le texte à la source, ou déclarer le vrai format dans l'entrepôt.",
        ),
        Reason.DOUBLE_ENCODED: Wording(
            "Texte encodé deux fois",
            "Des lettres accentuées apparaissent comme « Ã© » : le texte a été converti une fois de trop.",
            "Faire corriger la conversion à la source ; rien ne se répare sûrement après coup.",
        ),
        Reason.CHARACTERS_LOST: Wording(
            "Lettres perdues",
            "Des lettres ont été remplacées par « � » ou par « ? » lors d'une conversion : des noms peuvent être "
            "méconnaissables.",
            "Faire recharger le document depuis l'application qui l'a produit, avec le bon encodage.",
        ),
        Reason.WRONG_CHARSET: Wording(
            "Mauvais encodage déclaré",
            "Les lettres accentuées se lisent comme d'autres signes (« dŽcŽdŽ ») : le texte est dans un autre "
            "encodage que celui annoncé.",
            "Faire corriger l'encodage déclaré dans l'entrepôt (Mac Roman, CP850, Windows-1252…), puis relancer "
            "la nuit.",
        ),
        Reason.MIXED_SCRIPTS: Wording(
            "Écritures mêlées dans les mots",
            "Des mots mêlent des lettres latines et des lettres cyrilliques ou grecques qui leur ressemblent : "
            "la détection ne peut pas s'y fier.",
            "Faire vérifier l'outil qui produit le texte (reconnaissance de caractères, copie) et recharger le "
            "document.",
        ),
        Reason.MALFORMED: Wording(
            "Format abîmé",
            "Le fichier est tronqué ou sa mise en forme est rompue : on ne peut pas savoir si tout le texte est là.",
            "Faire recharger le document depuis l'application qui l'a produit.",
        ),
        Reason.TOO_LARGE: Wording(
            "Document trop volumineux",
            "Le document dépasse la taille maximale acceptée.",
            "Vérifier qu'il s'agit bien d'un document unique ; sinon relever NOCTURNE_MAX_DOCUMENT_BYTES.",
        ),
        Reason.TOO_COSTLY: Wording(
            "Document trop coûteux à traiter",
            "Une étape a dépassé le temps ou la mémoire accordés à un document, et a été arrêtée pour lui seul.",
            "Transmettre l'identifiant à l'équipe technique ; elle peut relever NOCTURNE_MAX_DOCUMENT_SECONDS ou "
            "NOCTURNE_MAX_DOCUMENT_MEMORY_MB, puis relancer.",
        ),
        Reason.NOT_FRENCH: Wording(
            "Document dans une autre langue",
            "Le texte n'est pas en français : la détection n'est pas prévue pour lui.",
            "Le laisser en quarantaine, ou le traiter à la main.",
        ),
        Reason.NO_PATIENT: Wording(
            "Patient inconnu",
            "L'entrepôt ne rattache le document à aucun patient, ou ne donne rien de l'identité à chercher.",
            "Faire rattacher le document à son patient dans l'entrepôt, ou réparer la requête qui donne l'identité.",
        ),
        Reason.REPEATED: Wording(
            "Document donné plusieurs fois",
            "La requête de l'entrepôt donne plusieurs lignes pour ce document : laquelle est juste n'est pas connu.",
            "Faire corriger les jointures de contents.sql, ou le doublon dans l'entrepôt, puis demander un nouvel "
            "essai.",
        ),
        Reason.UNSUPPORTED_FORMAT: Wording(
            "Format non pris en charge",
            "Aucun lecteur ne reconnaît le format du document (docs/formats.md).",
            "Demander à l'équipe de l'entrepôt une version dans un format lu, ou le texte.",
        ),
        Reason.ENCRYPTED: Wording(
            "Fichier protégé",
            "Le fichier est chiffré ou demande un mot de passe.",
            "Faire recharger une version sans mot de passe depuis l'application qui l'a produit.",
        ),
        Reason.EXPANDS: Wording(
            "Fichier qui enfle à l'ouverture",
            "Le fichier, petit, contient bien plus de données qu'un document n'en a, ou des documents trop emboîtés.",
            "Vérifier d'où il vient : une archive piégée a cette forme. Ne pas l'ouvrir sur un poste.",
        ),
        Reason.SCANNED: Wording(
            "Document numérisé",
            "Le fichier est une image : il n'a pas de texte que l'on puisse lire.",
            "Faire reconnaître le texte (OCR) à la source, puis recharger le document.",
        ),
        Reason.PICTURES: Wording(
            "Images retenues",
            "Le fichier contient des images, et les règles de sa source demandent de le retenir.",
            "Regarder les images ; les règles peuvent aussi demander de les enlever (`images: remove`).",
        ),
        Reason.NO_CONVERTER: Wording(
            "Convertisseur absent",
            "Ce format se lit par un programme (LibreOffice, tesseract) qui n'est pas installé ici.",
            "Faire installer le programme par l'équipe technique, ou fournir le document dans un autre format.",
        ),
        Reason.PATIENT_MISMATCH: Wording(
            "Fichier d'un autre patient",
            "L'identité écrite dans les champs du fichier contredit celle que l'entrepôt donne au document : un autre "
            "IPP, ou un autre nom avec une autre date de naissance.",
            "Vérifier à quel patient appartient le fichier, et le faire rattacher au bon dossier.",
        ),
        Reason.FILE_OUTSIDE: Wording(
            "Fichier hors des dossiers admis",
            "Le chemin du fichier, ou un lien symbolique, mène hors des dossiers de NOCTURNE_FILE_ROOTS.",
            "Corriger le chemin dans l'entrepôt, ou faire admettre le dossier par l'équipe technique.",
        ),
        Reason.FILE_MISSING: Wording(
            "Fichier introuvable",
            "L'entrepôt nomme un fichier qui n'existe pas à l'endroit indiqué.",
            "Remettre le fichier en place ou corriger son chemin, puis demander un nouvel essai.",
        ),
        Reason.FILE_CHANGED: Wording(
            "Fichier modifié entre-temps",
            "Le fichier n'est plus celui que l'entrepôt a annoncé, ou il a changé pendant la nuit.",
            "Faire mettre à jour l'empreinte du fichier dans l'entrepôt, puis demander un nouvel essai.",
        ),
        Reason.FILE_UNREADABLE: Wording(
            "Fichier illisible",
            "Le fichier existe, mais n'a pas pu être lu : accès refusé, erreur ou délai dépassé.",
            "Faire vérifier les droits et l'état du fichier par l'équipe technique, puis demander un nouvel essai.",
        ),
        Reason.DETECTION_FAILED: Wording(
            "Échec de la détection",
            "La recherche des informations identifiantes ne s'est pas terminée sur ce document.",
            "Transmettre l'identifiant du document à l'équipe technique.",
        ),
        Reason.SUBSTITUTION_FAILED: Wording(
            "Échec de la substitution",
            "Le remplacement des informations identifiantes ne s'est pas terminé sur ce document.",
            "Transmettre l'identifiant du document à l'équipe technique.",
        ),
        Reason.BUDGET_EXCEEDED: Wording(
            "Budget de confidentialité dépassé",
            "Le document, ou ceux du patient ensemble, dépenseraient plus d'ε que la politique ne l'autorise.",
            "Le garder hors de la recherche, ou revoir le plafond avec le délégué à la protection des données.",
        ),
        Reason.RESIDUAL_PATTERN: Wording(
            "Information identifiante restante",
            "Un numéro, une date complète, un courriel, une adresse web ou un mot d'un autre alphabet reste hors des "
            "substituts.",
            "Ouvrir le texte : marquer ce qui désigne quelqu'un, ou libérer le document si rien n'y désigne personne.",
        ),
        Reason.RESIDUAL_IDENTITY: Wording(
            "Identité du patient retrouvée",
            "Un élément de l'identité connue de l'entrepôt (nom, date de naissance, adresse, numéro) subsiste.",
            "Ne jamais publier en l'état. Ouvrir le texte, marquer la forme manquée, et la signaler à l'équipe "
            "technique.",
        ),
        Reason.CLINICAL_CONTENT_CHANGED: Wording(
            "Contenu clinique modifié",
            "Plus de valeurs, doses, scores, résultats ou noms de médicaments ont changé que la politique ne l'admet.",
            "Lire le document : si ce qui a changé n'est pas clinique, le libérer ; sinon "
            "signaler les formes à l'équipe technique.",
        ),
        Reason.DATE_ORDER: Wording(
            "Dates dans le désordre",
            "Deux dates de substitution ne se suivent plus dans l'ordre d'origine : la chronologie serait fausse.",
            "Signaler l'identifiant du document à l'équipe technique.",
        ),
        Reason.DATE_IMPOSSIBLE: Wording(
            "Date impossible",
            "Une date de substitution n'existe pas, ou une valeur non comprise n'a pas été masquée.",
            "Signaler l'identifiant du document à l'équipe technique.",
        ),
        Reason.ORIGINAL_KEPT: Wording(
            "Valeur d'origine conservée",
            "Un substitut est égal à la valeur qu'il devait remplacer.",
            "Ne jamais publier en l'état ; signaler l'identifiant du document à l'équipe technique.",
        ),
        Reason.UNCHANGED: Wording(
            "Texte inchangé",
            "Rien n'a été remplacé dans un texte où un titre, un champ ou un mot peut désigner quelqu'un.",
            "Lire le document : s'il ne contient vraiment rien d'identifiant, il peut être libéré à la main.",
        ),
        Reason.INCONSISTENT: Wording(
            "Résultat incohérent",
            "Le texte produit ne correspond pas au texte d'origine avec ses mentions remplacées.",
            "Signaler l'identifiant du document à l'équipe technique.",
        ),
        Reason.PATIENT_DISAGREES: Wording(
            "En désaccord avec les autres documents du patient",
            "Prénom, nom, sexe, date de naissance ou ville n'ont pas le même substitut que dans les autres documents "
            "du patient que la recherche a déjà, ou qui paraîtraient avec lui.",
            "Signaler l'identifiant du document à l'équipe technique ; le retraiter une fois la cause corrigée.",
        ),
    }
)

ENGLISH: Mapping[Reason, Wording] = MappingProxyType(
    {
        Reason.EMPTY: Wording(
            "Empty document",
            "The document holds no text, or de-identification left none.",
            "Look at it in the warehouse; a scanned image needs text recognition first.",
        ),
        Reason.UNDECODABLE: Wording(
            "Unreadable characters",
            "The document's bytes do not fit the charset that it declares.",
            "Have the declared charset corrected in the warehouse (UTF-8, Windows-1252…), then run the night again.",
        ),
        Reason.NOT_TEXT: Wording(
            "File of another format",
            "What is declared as text is an RTF, PDF or office file, an image or an archive.",
            "Have the text extracted at the source, or the true format declared in the warehouse.",
        ),
        Reason.DOUBLE_ENCODED: Wording(
            "Text encoded twice",
            'Accented letters show as "Ã©": the text was converted once too often.',
            "Have the conversion corrected at the source; nothing repairs it surely afterwards.",
        ),
        Reason.CHARACTERS_LOST: Wording(
            "Letters lost",
            'Letters were replaced by "�" or "?" in a conversion: names may be beyond recognition.',
            "Have the document loaded again from the application that made it, with the right charset.",
        ),
        Reason.WRONG_CHARSET: Wording(
            "Wrong charset declared",
            'Accented letters read as other signs ("dŽcŽdŽ"): the text is in another charset than the declared one.',
            "Have the declared charset corrected in the warehouse (Mac Roman, CP850, Windows-1252…), then run "
            "the night again.",
        ),
        Reason.MIXED_SCRIPTS: Wording(
            "Scripts mixed in words",
            "Words mix Latin letters with Cyrillic or Greek ones that look like them: detection cannot rely on them.",
            "Have the tool that makes the text checked (text recognition, copying), and load the document again.",
        ),
        Reason.MALFORMED: Wording(
            "Broken format",
            "The file is cut short or its markup is broken: whether all of the text is there cannot be known.",
            "Have the document loaded again from the application that made it.",
        ),
        Reason.TOO_LARGE: Wording(
            "Document too large",
            "The document exceeds the largest size accepted.",
            "Check that it is one document; if so, raise NOCTURNE_MAX_DOCUMENT_BYTES.",
        ),
        Reason.TOO_COSTLY: Wording(
            "Document too costly",
            "A step exceeded the time or memory that a document may take, and was stopped for this one alone.",
            "Give the document's id to the technical team; it may raise NOCTURNE_MAX_DOCUMENT_SECONDS or "
            "NOCTURNE_MAX_DOCUMENT_MEMORY_MB, then retry.",
        ),
        Reason.NOT_FRENCH: Wording(
            "Document in another language",
            "The text is not French: detection is not made for it.",
            "Leave it in quarantine, or treat it by hand.",
        ),
        Reason.NO_PATIENT: Wording(
            "Unknown patient",
            "The warehouse links the document to no patient, or gives nothing of the identity to search for.",
            "Have the document linked to its patient in the warehouse, or mend the query that gives the identity.",
        ),
        Reason.REPEATED: Wording(
            "Document given several times",
            "The query of the warehouse gives several rows for the document: which one is right is unknown.",
            "Have the joins of contents.sql mended, or the duplicate in the warehouse, then retry.",
        ),
        Reason.UNSUPPORTED_FORMAT: Wording(
            "Unsupported format",
            "No reader recognises the document's format (docs/formats.md).",
            "Ask the warehouse team for a version in a format that is read, or for the text.",
        ),
        Reason.ENCRYPTED: Wording(
            "Protected file",
            "The file is encrypted, or asks for a password.",
            "Have a version without password loaded again from the application that made it.",
        ),
        Reason.EXPANDS: Wording(
            "File that swells when opened",
            "The file is small, but holds far more data than a document does, or documents nested too deeply.",
            "Find out where it comes from: a hostile archive looks like this. Do not open it on a workstation.",
        ),
        Reason.SCANNED: Wording(
            "Scanned document",
            "The file is a picture: it has no text that can be read.",
            "Have its text recognised (OCR) at the source, then load the document again.",
        ),
        Reason.PICTURES: Wording(
            "Pictures held back",
            "The file holds pictures, and the rules of its source ask to hold it back.",
            "Look at the pictures; the rules may also ask to remove them (`images: remove`).",
        ),
        Reason.NO_CONVERTER: Wording(
            "Converter missing",
            "This format is read by a program (LibreOffice, tesseract) that is not installed here.",
            "Have the technical team install the program, or give the document in another format.",
        ),
        Reason.PATIENT_MISMATCH: Wording(
            "Another patient's file",
            "The identity in the file's fields contradicts what the warehouse says of the document: another IPP, or "
            "another name with another birth date.",
            "Find out whose file it is, and have it linked to the right patient.",
        ),
        Reason.FILE_OUTSIDE: Wording(
            "File outside of the folders allowed",
            "The file's path, or a symbolic link, leads out of the folders of NOCTURNE_FILE_ROOTS.",
            "Mend the path in the warehouse, or have the technical team allow the folder.",
        ),
        Reason.FILE_MISSING: Wording(
            "File missing",
            "The warehouse names a file that is not where it says.",
            "Put the file back or mend its path, then ask for another try.",
        ),
        Reason.FILE_CHANGED: Wording(
            "File changed meanwhile",
            "The file is not the one that the warehouse announced, or it changed during the night.",
            "Have the warehouse's digest of the file brought up to date, then ask for another try.",
        ),
        Reason.FILE_UNREADABLE: Wording(
            "File cannot be read",
            "The file is there and could not be read: access denied, an error, or too slow.",
            "Have the technical team look at its rights and state, then ask for another try.",
        ),
        Reason.DETECTION_FAILED: Wording(
            "Detection failed",
            "The search for identifying information did not come to its end on this document.",
            "Give the document's id to the technical team.",
        ),
        Reason.SUBSTITUTION_FAILED: Wording(
            "Substitution failed",
            "The replacement of identifying information did not come to its end on this document.",
            "Give the document's id to the technical team.",
        ),
        Reason.BUDGET_EXCEEDED: Wording(
            "Privacy budget exceeded",
            "The document, or the patient's documents together, would spend more ε than the policy allows.",
            "Keep it out of research, or review the cap with the data protection officer.",
        ),
        Reason.RESIDUAL_PATTERN: Wording(
            "Identifying information left",
            "A number, a full date, an e-mail, a web address or a word of another alphabet is left outside surrogates.",
            "Open the text: mark what points to somebody, or release the document if nothing does.",
        ),
        Reason.RESIDUAL_IDENTITY: Wording(
            "Patient's identity found",
            "Part of the identity that the warehouse knows (name, birth date, address, number) survives.",
            "Never publish as it is. Open the text, mark the missed form, and report it to the technical team.",
        ),
        Reason.CLINICAL_CONTENT_CHANGED: Wording(
            "Clinical content changed",
            "More values, doses, scores, results or names of drugs have changed than the policy admits.",
            "Read the document: if what changed is not clinical, release it; else report the "
            "forms to the technical team.",
        ),
        Reason.DATE_ORDER: Wording(
            "Dates out of order",
            "Two surrogate dates no longer follow each other as in the source: the chronology would be false.",
            "Report the document's id to the technical team.",
        ),
        Reason.DATE_IMPOSSIBLE: Wording(
            "Impossible date",
            "A surrogate date does not exist, or a value that was not understood was not masked.",
            "Report the document's id to the technical team.",
        ),
        Reason.ORIGINAL_KEPT: Wording(
            "Original value kept",
            "A surrogate equals the value that it should replace.",
            "Never publish as it is; report the document's id to the technical team.",
        ),
        Reason.UNCHANGED: Wording(
            "Text unchanged",
            "Nothing was replaced in a text in which a title, a field or a word may point at somebody.",
            "Read the document: if it really holds nothing identifying, it can be released by hand.",
        ),
        Reason.INCONSISTENT: Wording(
            "Inconsistent result",
            "The output is not the source with its mentions replaced.",
            "Report the document's id to the technical team.",
        ),
        Reason.PATIENT_DISAGREES: Wording(
            "Disagrees with the patient's other documents",
            "First name, surname, sex, birth date or town have another surrogate than in the patient's other documents "
            "that research already has, or that would appear with it.",
            "Report the document's id to the technical team; process it again once the cause is mended.",
        ),
    }
)


# ---- Waivers
#
# A waiver covers one reason for one content. It has the checks that failed for that reason and the number that each
# showed. With the same pipeline the same content gives the same numbers; a greater number holds the document back.

FOREIGN = "language_foreign"

# Reason → why a person can judge it by reading the source, in French and in English. The other reasons cannot be
# waived: an unreadable, empty, malformed, oversized or costly document shows nothing to judge; without a patient
# nothing can be searched; an identity or original that remains is a disclosure; a failed step, disordered or impossible
# dates and an inconsistent output are errors of the product, in a text that nobody may read; a budget belongs to the
# data protection officer.
WAIVABLE: Mapping[Reason, tuple[str, str]] = MappingProxyType(
    {
        Reason.NOT_FRENCH: (
            "Une personne voit d'un coup d'œil si le texte est en français : un tableau de résultats ou une "
            "ordonnance de quelques mots peut tromper le contrôle.",
            "A person sees at a glance whether a text is French: a table of results or a prescription of a few words "
            "can deceive the check.",
        ),
        Reason.UNCHANGED: (
            "En le lisant, une personne peut s'assurer que le document ne contient vraiment rien d'identifiant.",
            "By reading it, a person can make sure that the document really holds nothing identifying.",
        ),
        Reason.RESIDUAL_PATTERN: (
            "En le lisant, une personne sait si le numéro, la date ou l'adresse restés identifient quelqu'un, ou sont "
            "une référence d'appareil, de lot ou de publication.",
            "By reading it, a person knows whether the number, date or address that was left identifies somebody, or "
            "is the reference of a device, a batch or a publication.",
        ),
        Reason.CLINICAL_CONTENT_CHANGED: (
            "En le lisant, une personne sait si les valeurs remplacées étaient cliniques, ou les parties d'un "
            "identifiant.",
            "By reading it, a person knows whether the values that were replaced were clinical, or parts of an "
            "identifier.",
        ),
    }
)

CHECKS_OF: Mapping[Reason, tuple[str, ...]] = MappingProxyType(
    {reason: tuple(check.name for check in CHECKS if check.reason is reason) for reason in WAIVABLE}
)


@dataclass(frozen=True, slots=True)
class Waiver:
    """A waiver for one version of a document: the greatest number that each check may show."""

    document_id: str
    content_hash: str
    most: Mapping[str, float]

    @property
    def lets_be_searched(self) -> bool:
        """True if detection accepts the document in spite of its language."""
        return FOREIGN in self.most


def admissible(most: Mapping[str, float]) -> dict[str, float]:
    """Return the part of a stored waiver whose reasons can still be waived."""
    return {name: number for name, number in most.items() if name in BY_NAME and BY_NAME[name].reason in WAIVABLE}


def apply_waiver(verdict: Verdict, waiver: Waiver | None) -> Verdict:
    """Return the verdict with the outcomes covered by the waiver marked as waived; they stay failures."""
    if waiver is None:
        return verdict
    most = admissible(waiver.most)
    outcomes = tuple(
        replace(item, waived=not item.success and item.check in most and item.observed <= most[item.check])
        for item in verdict.outcomes
    )
    return replace(verdict, outcomes=outcomes)

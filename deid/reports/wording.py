"""The words of the reports, in French and in English."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

# Key → (French, English)
_WORDS: Mapping[str, tuple[str, str]] = {
    "title": ("Rapport de publication", "Release report"),
    "mentions_short": ("Mentions", "Mentions"),
    "product": ("Nocturne", "Nocturne"),
    "tagline": ("désidentification des documents de l'entrepôt", "de-identification of the warehouse's documents"),
    "switch": ("English version", "Version française"),
    "skip": ("Aller au contenu", "Skip to content"),
    "state_published": ("Publié", "Published"),
    "state_waiting": ("En attente de décision", "Waiting for a decision"),
    "state_approved_once": ("Approuvé une fois", "Approved once"),
    "state_approved": ("Approuvé, pas encore publié", "Approved, not yet published"),
    "state_publishing": ("Publication en cours", "Publishing"),
    "state_failed": ("Publication en échec", "Publication failed"),
    "state_sent_back": ("Renvoyé en traitement", "Sent back for reprocessing"),
    "state_refused": ("Publication refusée", "Publication refused"),
    "state_rejected": ("Rejeté", "Rejected"),
    "state_unfinished": ("Traitement en cours", "Still running"),
    "state_recalled": ("Rappelé", "Recalled"),
    "state_empty": ("Rien de nouveau", "Nothing new"),
    "seen": ("documents vus", "documents seen"),
    "seen_help": ("reçus ou modifiés dans l'intervalle", "received or changed in the interval"),
    "published": ("publiés", "published"),
    "published_help": (
        "versions en vigueur, lisibles au plus tard à la prochaine réécriture",
        "versions in force, readable by the next rewriting at the latest",
    ),
    "readable": ("lisibles", "readable"),
    "readable_help": ("ce que les chercheurs lisent maintenant", "what researchers read now"),
    "waiting": ("prêts", "ready"),
    "waiting_help": ("contrôlés, pas encore publiés", "checked, not published yet"),
    "quarantined": ("en quarantaine", "in quarantine"),
    "quarantined_help": ("retenus, avec leur raison", "held back, with their reason"),
    "corrected": ("corrigés", "corrected"),
    "corrected_help": ("nouvelle version d'un document déjà publié", "new version of a published document"),
    "withdrawn": ("retirés", "withdrawn"),
    "withdrawn_help": ("opposition ou suppression à la source", "opt-out or deletion at the source"),
    "withdrawals": ("à retirer", "to withdraw"),
    "treated": ("documents traités", "documents treated"),
    "in_force": ("publiés, sans version plus récente prête", "published, with no newer version ready"),
    "removed": ("retirés ou rappelés", "withdrawn or recalled"),
    "review": ("Relecture par des personnes", "Review by people"),
    "review_counts": (
        "Relecture {review_id} : {finished} lectures terminées sur {wanted} ; documents lus : {read} ; avec un oubli : "
        "{leaking}.",
        "Review {review_id}: {finished} of {wanted} readings finished; documents read: {read}; with a miss: {leaking}.",
    ),
    "review_open": ("En cours.", "Open."),
    "review_closed": ("Close.", "Closed."),
    "review_bound": (
        "Documents qui laissent voir une identité : {words}.",
        "Documents that reveal an identity: {words}.",
    ),
    "review_unread": ("Rien n'est encore lu.", "Nothing has been read yet."),
    "review_provisional": (
        "Provisoire : la lecture n'est pas finie.",
        "Provisional: reading is not finished.",
    ),
    "sides": ("Ce qui est proposé, ce que la recherche tient", "What is proposed, what research holds"),
    "sides_caption": (
        "Compté sur les documents prêts, et sur ceux qui sont publiés et ni corrigés, ni retirés, ni rappelés depuis",
        "Counted over the documents that are ready, and over those published and not corrected, withdrawn or recalled "
        "since",
    ),
    "sides_figure": ("Nombre", "Figure"),
    "proposed": ("Proposé maintenant", "Proposed now"),
    "held_now": ("Dans la recherche maintenant", "In research now"),
    "sides_documents": ("Documents", "Documents"),
    "sides_waived": ("Dont laissés passer par une personne", "Of which let through by a person"),
    "sides_waived_check": ("Contrôle levé : « {meaning} »", "Check waived: “{meaning}”"),
    "sides_mentions": ("Mentions remplacées", "Mentions replaced"),
    "sides_epsilon": ("ε dépensé, en tout", "ε spent, in all"),
    "sides_characters": ("Caractères des originaux", "Characters of the originals"),
    "sides_type": ("Documents de type {type}", "Documents of type {type}"),
    "sides_details_proposed": (
        "Les tableaux et graphiques qui suivent portent sur ce qui est proposé.",
        "The tables and charts below are of what is proposed.",
    ),
    "sides_details_held": (
        "Les tableaux et graphiques qui suivent portent sur ce que la recherche tient.",
        "The tables and charts below are of what research holds.",
    ),
    "sides_opted_out": (
        "Une opposition a déjà retiré {documents} documents de la recherche ; leurs mentions et leur ε restent comptés "
        "ici jusqu'à la prochaine exécution de apply_oppositions.",
        "An opt-out has already taken {documents} documents out of research; their mentions and ε are counted here "
        "until the next run of apply_oppositions.",
    ),
    "mentions": ("mentions trouvées", "mentions found"),
    "patients": ("patients", "patients"),
    "decision": ("Décision", "Decision"),
    "decision_approve": ("Publication approuvée", "Publication approved"),
    "decision_auto": ("Publication automatique, selon la politique", "Automatic publication, by the policy"),
    "decision_reject": ("Publication rejetée", "Publication rejected"),
    "decision_rework": ("Renvoyé en traitement", "Sent back for reprocessing"),
    "decision_refused": ("Publication refusée par les contrôles", "Publication refused by the checks"),
    "decision_none": ("Aucune décision enregistrée", "No decision recorded"),
    "by": ("par", "by"),
    "reason": ("Motif", "Reason"),
    "attention": ("À retenir", "In short"),
    "all_clear": ("Rien d'anormal : tous les contrôles sont passés.", "Nothing unusual: every check passed."),
    "checks": ("Contrôles", "Checks"),
    "data_docs": ("Pages de Great Expectations :", "Pages of Great Expectations:"),
    "data_docs_document": ("contrôles des documents", "checks of documents"),
    "data_docs_run": ("contrôles de l'ensemble", "checks of the whole"),
    "checks_lead": (
        "Chaque document est contrôlé par un code distinct de celui qui l'a transformé. Un contrôle critique qui "
        "échoue retient le document, ou tout l'intervalle s'il porte sur l'ensemble.",
        "Every document is checked by code distinct from the code that transformed it. A critical check that fails "
        "holds the document back, or the whole interval where it is about all of it.",
    ),
    "checks_run": ("Sur l'ensemble de l'intervalle", "On the interval as a whole"),
    "checks_document": ("Sur chaque document", "On each document"),
    "requirement": ("Exigence", "Requirement"),
    "severity": ("Gravité", "Severity"),
    "severity_critical": ("critique", "critical"),
    "severity_warning": ("alerte", "warning"),
    "severity_info": ("information", "information"),
    "observed": ("Observé", "Observed"),
    "result": ("Résultat", "Result"),
    "passed": ("conforme", "passed"),
    "held": ("retenus", "held back"),
    "not_met": ("Non respecté : « {meaning} » Observé : {observed}.", "Not met: “{meaning}” Observed: {observed}."),
    "waived": (
        "Levé par une personne, avec justification : « {meaning} » Documents : {documents}.",
        "Waived by a person, with a justification: “{meaning}” Documents: {documents}.",
    ),
    "of_usual": ("{} de l'habitude", "{} of usual"),
    "failed": ("échec", "failed"),
    "raised": ("à regarder", "to look at"),
    "counted": ("compté", "counted"),
    "concerned": ("Documents concernés", "Documents concerned"),
    "not_judged": ("pas de comparaison possible", "nothing to compare with"),
    "all_passed": ("contrôles par document sans aucun échec", "checks on each document without any failure"),
    "mentions_section": ("Mentions par catégorie et type de document", "Mentions by label and document type"),
    "mentions_lead": (
        "Nombre de mentions trouvées puis remplacées, sauf les types que la politique laisse dans le texte. La teinte "
        "donne le nombre moyen par document du type : une case qui pâlit d'une nuit à l'autre mérite un regard.",
        "Mentions found, then replaced, but for types that the policy leaves in the text. The shade is the mean number "
        "per document of the type: a cell that fades from one night to the next deserves a look.",
    ),
    "left_in_text": ("laissé dans le texte", "left in the text"),
    "label": ("Catégorie", "Label"),
    "total": ("Total", "Total"),
    "documents": ("Documents", "Documents"),
    "characters": ("Caractères", "Characters"),
    "median": ("Médiane", "Median"),
    "density": ("Mentions pour 1 000 car.", "Mentions per 1,000 char."),
    "type": ("Type", "Type"),
    "constraints": ("Accord des dates, âges et durées", "Agreement of dates, ages and lengths"),
    "constraints_lead": (
        "Ce que les textes d'origine disent de l'accord entre leurs dates, âges et durées, et ce qu'il en reste dans "
        "les textes produits. Une relation est rompue si les valeurs produites la contredisent ; ni tenue ni rompue si "
        "l'une d'elles n'est plus lisible.",
        "What the sources state between their dates, ages and lengths, and what is left of it in the texts produced. A "
        "relation is broken if the values produced contradict it; neither kept nor broken if one of them can no longer "
        "be read.",
    ),
    "constraints_none": (
        "Aucune relation entre dates, âges ou durées.",
        "No relation between dates, ages or lengths.",
    ),
    "constraint": ("Relation", "Relation"),
    "stated": ("Relevées", "Stated"),
    "kept": ("Tenues", "Kept"),
    "violated": ("Rompues", "Broken"),
    "violated_share": ("Part rompue", "Share broken"),
    "constraint_order": ("Ordre de deux dates", "Order of two dates"),
    "constraint_range": ("Bornes d'une période (« du 3 au 7 mars »)", "Bounds of a range (“du 3 au 7 mars”)"),
    "constraint_distance": (
        "Délai et date voisins (« dans 6 semaines, le 12 mai »)",
        "A distance beside its date (“dans 6 semaines, le 12 mai”)",
    ),
    "constraint_numbered_day": ("Jours numérotés (J0, J4, J8)", "Numbered days (J0, J4, J8)"),
    "constraint_age": ("Âge et date de naissance", "Age and birth date"),
    "constraint_kin": ("Âge d'un parent et du patient", "Ages of a relative and of the patient"),
    "constraint_weekday": ("Jour de la semaine et sa date", "Weekday and its date"),
    "constraint_weekday_written": ("Jour de la semaine écrit", "Weekday that is written"),
    "constraint_pregnancy": ("Dernières règles, terme, semaines (SA)", "Last period, term, weeks of pregnancy"),
    "constraint_stay": ("Sortie après l'entrée", "Discharge after admission"),
    "constraint_length": ("Durée écrite et ses deux dates", "Length in the text and its two dates"),
    "constraint_gap": ("Écart de 60 jours au plus, à la moitié près", "Gap of up to 60 days, to within half of it"),
    "agreement": ("Accord des documents d'un même patient", "Agreement of a patient's documents"),
    "agreement_lead": (
        "Ce que les textes produits disent du patient, comparé aux autres documents du même patient, déjà publiés ou "
        "à publier ; et les articles et élisions devant les lieux et organisations. Un désaccord est compté là où "
        "la valeur n'est pas celle que portent le plus de documents publiés.",
        "What the texts produced say of the patient, compared with the patient's other documents, published or about "
        "to be; and articles and elisions ahead of places and organisations. A value disagrees if it is not the one "
        "that most published documents have.",
    ),
    "agreement_none": (
        "Aucun texte ne dit rien du patient qui se compare.",
        "No text says anything of its patient that can be compared.",
    ),
    "agreement_subject": ("Sujet", "Subject"),
    "agreement_first_name": ("Prénom du patient", "Patient's first name"),
    "agreement_surname": ("Nom du patient", "Patient's surname"),
    "agreement_sex": ("Sexe (prénom, NIR)", "Sex (first name, NIR)"),
    "agreement_birth_date": ("Date de naissance (jour, mois, année)", "Birth date (day, month, year)"),
    "agreement_town": ("Commune du patient, code postal", "Patient's town, postal code"),
    "agreement_article": ("Articles et élisions", "Articles and elisions"),
    "disagreeing": ("En désaccord", "Disagreeing"),
    "files": ("Fichiers", "Files"),
    "files_lead": (
        "Documents reçus comme fichiers, par format reconnu, et ce qui n'est ni dans leur texte ni dans le fichier "
        "réécrit.",
        "Documents that came as files, by the format recognised, and what neither their text nor the rewritten file "
        "holds.",
    ),
    "files_none": ("Aucun document n'est venu comme fichier.", "No document came as a file."),
    "files_format": ("Format", "Format"),
    "files_removed": ("Retiré", "Removed"),
    "removed_image": ("images", "images"),
    "removed_comment": ("commentaires", "comments"),
    "removed_macro": ("macros", "macros"),
    "removed_attachment": ("pièces jointes", "attachments"),
    "removed_revision": ("révisions", "revisions"),
    "removed_field": ("champs", "fields"),
    "removed_header": ("en-têtes", "headers"),
    "removed_metadata": ("métadonnées", "metadata"),
    "disagreeing_share": ("Part", "Share"),
    "clinical": ("Contenu clinique conservé", "Clinical content kept"),
    "clinical_kept": (
        "{share} des valeurs et termes cliniques sont conservés : {changed} ont changé sur {items} relevés (valeurs "
        "avec unité, doses, scores, résultats, médicaments). Documents concernés : {documents_changed} sur "
        "{documents}.",
        "{share} of clinical values and terms are kept: {changed} of {items} changed (values with units, doses, "
        "scores, results, drugs). Documents concerned: {documents_changed} of {documents}.",
    ),
    "clinical_none": (
        "Aucune valeur ni aucun terme clinique relevé.",
        "No clinical value or term was read.",
    ),
    "evaluation": ("Évaluation : confidentialité et utilité", "Evaluation: privacy and utility"),
    "evaluation_short": ("Évaluation", "Evaluation"),
    "evaluation_lead": (
        "Mesures sur un échantillon des documents publiés, comparés à leurs originaux. Une attaque qui ne trouve pas "
        "plus que le hasard est le but ; ce que les textes gardent doit rester haut. Les intervalles sont à 95 %.",
        "Measures on a sample of the documents published, compared with their originals. An attack that finds no more "
        "than chance is the goal; what the texts keep should stay high. Intervals are of 95 %.",
    ),
    "evaluation_none": (
        "Cette publication n'a pas été évaluée (DAG evaluate_release).",
        "This release has not been evaluated (DAG evaluate_release).",
    ),
    "evaluation_wide": (
        "Trop peu de documents : un intervalle couvre plus de {widest}, aucun graphique n'est tracé.",
        "Too few documents: an interval covers more than {widest}, no plot is drawn.",
    ),
    "evaluation_one_patient": (
        "Aucune attaque n'a été menée : l'échantillon est d'un seul patient, que rien ne peut confondre.",
        "No attack was run: the sample is of one patient, whom nobody can be confused with.",
    ),
    "evaluation_measure": ("Mesure", "Measure"),
    "evaluation_value": ("Valeur", "Value"),
    "evaluation_interval": ("Intervalle", "Interval"),
    "evaluation_n": ("Sur", "Of"),
    "evaluation_plot": (
        "Attaque la plus forte (vers la droite) et relations gardées (vers le haut) ; en gris, les précédentes",
        "Strongest attack (to the right) and relations kept (upwards); in grey, the releases before",
    ),
    "evaluation_attack.chance": ("Attaque : au hasard", "Attack: by chance"),
    "evaluation_attack.text": (
        "Attaque : texte d'origine le plus proche (reconnu par construction)",
        "Attack: nearest original text (recognised by design)",
    ),
    "evaluation_attack.person": (
        "Attaque : patient, par tous ses identifiants",
        "Attack: patient, by all of the identifiers",
    ),
    "evaluation_attack.dates_exact": ("Attaque : dates décalées ensemble", "Attack: dates shifted together"),
    "evaluation_attack.dates": ("Attaque : dates les plus proches", "Attack: nearest dates"),
    "evaluation_attack.known_dates": ("Attaque : trois dates connues", "Attack: three known dates"),
    "evaluation_attack.places": (
        "Attaque : commune devinée par la loi du tirage et les populations",
        "Attack: commune guessed by the law of the draw and populations",
    ),
    "evaluation_attack.names": (
        "Attaque : noms de soignants de même rang par nombre de documents",
        "Attack: names of care staff of the same rank by number of documents",
    ),
    "evaluation_attack.leaks": (
        "Attaque : oublis introduits, retrouvés parmi les substituts",
        "Attack: planted leaks, found among surrogates",
    ),
    "evaluation_attack.places_chance": (
        "Attaque : commune tirée au hasard parmi les candidates",
        "Attack: commune drawn at random among the candidates",
    ),
    "evaluation_attack.places_prior": (
        "Attaque : commune candidate la plus peuplée, sans celle qui est publiée",
        "Attack: most populous candidate commune, without the published one",
    ),
    "evaluation_attack.membership": (
        "Attaque : document appris par le modèle, deviné à sa perte (AUC ; 50 % : hasard)",
        "Attack: document that the model learned, guessed by its loss (AUC; 50 %: chance)",
    ),
    "evaluation_attack.membership_advantage": (
        "Attaque : le même, vrais moins faux positifs au meilleur seuil",
        "Attack: the same, true less false positives at the best threshold",
    ),
    "evaluation_attack.membership_chance": (
        "Attaque : le même, au hasard",
        "Attack: the same, by chance",
    ),
    "evaluation_attack.membership_low": (
        "Attaque : documents appris retrouvés à 1 % de faux positifs",
        "Attack: learned documents found at 1 % of false positives",
    ),
    "evaluation_attack.membership_no_model": (
        "Attaque : document appris, sans objet : aucun modèle appris à l'hôpital n'est en service",
        "Attack: document learned, no target: no model trained at the hospital serves",
    ),
    "evaluation_attack.membership_unrecorded": (
        "Attaque : document appris, non mesurée : ce que le modèle a appris n'est pas enregistré",
        "Attack: document learned, not measured: what the model learned is not recorded",
    ),
    "evaluation_attack.membership_few": (
        "Attaque : document appris, non mesurée : moins de 10 documents appris publiés, ou d'autres dans l'échantillon",
        "Attack: document learned, not measured: under 10 learned documents published, or others in the sample",
    ),
    "evaluation_utility.constraints_kept": (
        "Utilité : relations entre dates, âges et durées gardées",
        "Utility: relations between dates, ages and lengths kept",
    ),
    "evaluation_utility.date_order_kept": ("Utilité : ordre des dates gardé", "Utility: order of dates kept"),
    "evaluation_utility.constraints_without_order_kept": (
        "Utilité : relations gardées, hors ordre des dates",
        "Utility: relations kept, but for the order of dates",
    ),
    "evaluation_utility.short_gaps_kept": (
        "Utilité : écarts de 60 jours au plus gardés",
        "Utility: gaps of up to 60 days kept",
    ),
    "evaluation_utility.long_gaps_error": (
        "Utilité : erreur relative médiane des écarts plus longs",
        "Utility: median relative error of longer gaps",
    ),
    "evaluation_utility.age_stage_kept": ("Utilité : stade de vie gardé", "Utility: stage of life kept"),
    "evaluation_utility.age_decade_kept": ("Utilité : décennie des âges gardée", "Utility: decade of ages kept"),
    "evaluation_utility.stay_class_kept": (
        "Utilité : classe de durée du séjour gardée",
        "Utility: class of the length of stay kept",
    ),
    "evaluation_utility.place_profile_kept": (
        "Utilité : profil de santé des communes gardé",
        "Utility: health profile of communes kept",
    ),
    "evaluation_utility.clinical_terms_kept": ("Utilité : termes cliniques gardés", "Utility: clinical terms kept"),
    "evaluation_utility.clinical_values_kept": ("Utilité : valeurs cliniques gardées", "Utility: clinical values kept"),
    "evaluation_utility.coding_original": (
        "Utilité : codage CIM-10 du texte d'origine (micro-F1, catégories)",
        "Utility: ICD-10 coding of the original text (micro F1, categories)",
    ),
    "evaluation_utility.coding_loss": (
        "Utilité : ce que le codage CIM-10 perd sur le texte publié (points de micro-F1)",
        "Utility: what ICD-10 coding loses on the published text (points of micro F1)",
    ),
    "evaluation_utility.coding_no_codes": (
        "Utilité : codage CIM-10 non mesuré : la source n'a pas de requête codes.sql",
        "Utility: ICD-10 coding not measured: the source has no query codes.sql",
    ),
    "evaluation_utility.coding_few": (
        "Utilité : codage CIM-10 non mesuré : moins de 30 séjours codés, ou de cinq patients",
        "Utility: ICD-10 coding not measured: under 30 coded stays, or five patients",
    ),
    "evaluation_utility.perplexity_ratio": (
        "Lisibilité : perplexité, rapportée à celle des originaux",
        "Readability: perplexity, against that of originals",
    ),
    "evaluation_utility.own_perplexity_ratio": (
        "Lisibilité : perplexité, sans ce que les textes partagent",
        "Readability: perplexity, without what texts share",
    ),
    "evaluation_utility.own_undated_perplexity_ratio": (
        "Lisibilité : perplexité, sans ce que les textes partagent, ni dates ni âges",
        "Readability: perplexity, without what texts share, dates and ages",
    ),
    "evaluation_utility.own_undated_told_apart": (
        "Lisibilité : textes distingués, sans ce qu'ils partagent, ni dates ni âges",
        "Readability: texts told apart, without what they share, dates and ages",
    ),
    "evaluation_utility.told_apart": (
        "Lisibilité : textes distingués de leurs originaux (50 % : aucun)",
        "Readability: texts told from originals (50%: none)",
    ),
    "evaluation_utility.own_told_apart": (
        "Lisibilité : textes distingués, sans ce qu'ils partagent",
        "Readability: texts told apart, without what they share",
    ),
    "quarantine": ("Quarantaine", "Quarantine"),
    "quarantine_lead": (
        "Un document en quarantaine n'est ni perdu ni publié : il attend qu'une personne le regarde.",
        "A document in quarantine is neither lost nor published: it waits for a person.",
    ),
    "quarantine_empty": ("Aucun document en quarantaine.", "No document is in quarantine."),
    "held_back": (
        "Retenus à tort : sur {judged} documents qu'un contrôle a retenus et qu'une personne a jugés depuis 90 jours, "
        "{let_through} étaient bons et sont passés ({share}).",
        "Held back for nothing: of {judged} documents that a check held back and a person judged in the last 90 days, "
        "{let_through} were good and let through ({share}).",
    ),
    "held_back_none": (
        "Retenus à tort : aucun document retenu par un contrôle n'a été jugé depuis 90 jours.",
        "Held back for nothing: no document that a check held back was judged in the last 90 days.",
    ),
    "meaning": ("Ce qui s'est passé", "What happened"),
    "remedy": ("Que faire", "What to do"),
    "step": ("Étape", "Step"),
    "epsilon": ("Confidentialité : ε par document", "Privacy: ε per document"),
    "epsilon_lead": (
        "ε (« epsilon ») mesure ce qu'un document publié peut révéler, au plus, sur les valeurs d'origine que le "
        "tirage au sort a remplacées : dates, âges et communes. Plus ε est petit, plus le tirage est flou, et moins "
        "on peut apprendre. À ε proche de 0, le document ne dit presque rien de la vraie valeur ; chaque unité de "
        "plus permet à une hypothèse de devenir jusqu'à 2,7 fois plus plausible qu'une hypothèse voisine. Les noms, "
        "numéros et coordonnées ne dépensent pas d'ε : ils sont remplacés sans lien avec l'original.",
        "ε (“epsilon”) bounds what a published document can reveal about the original values that a random draw "
        "replaced: dates, ages and towns. The smaller ε, the blurrier the draw and the less there is to learn. Near "
        "0 the document says next to nothing of the true value; each further unit lets one hypothesis become up to "
        "2.7 times more plausible than a neighbouring one. Names, numbers and contact details spend no ε: they are "
        "replaced without any link to the original.",
    ),
    "epsilon_documents": ("Nombre de documents par tranche d'ε", "Number of documents by ε"),
    "epsilon_empty": ("Aucune dépense d'ε dans cet intervalle.", "No ε was spent in this interval."),
    "epsilon_recalled": (
        "Rien de cet intervalle n'est plus publié ; l'ε qu'il a dépensé reste compté.",
        "Nothing of this interval is published any more; the ε that it spent stays counted.",
    ),
    "category": ("Élément", "Element"),
    "category_date": ("Dates", "Dates"),
    "category_age": ("Âges", "Ages"),
    "category_place": ("Lieux", "Places"),
    "category_anchor": ("Décalage du patient", "Patient's shift"),
    "mechanism": ("Mécanisme", "Mechanism"),
    "elements": ("Valeurs", "Values"),
    "mean": ("Moyenne", "Mean"),
    "p25": ("1er quart", "1st quarter"),
    "p75": ("3e quart", "3rd quarter"),
    "p95": ("95 %", "95%"),
    "least": ("Minimum", "Minimum"),
    "most": ("Maximum", "Maximum"),
    "lengths": ("Longueur des documents", "Length of documents"),
    "lengths_documents": (
        "Nombre de documents par longueur, en caractères",
        "Number of documents by length, in characters",
    ),
    "lengths_empty": ("Aucun document.", "No document."),
    "steps": ("Temps par étape", "Time per step"),
    "step_plan": ("Planifier", "Plan"),
    "step_detect": ("Détecter", "Detect"),
    "step_substitute": ("Remplacer", "Replace"),
    "step_validate": ("Contrôler", "Check"),
    "step_stage": ("Préparer", "Stage"),
    "step_publish": ("Publier", "Publish"),
    "duration": ("Durée", "Time"),
    "batches": ("Lots", "Batches"),
    "documents_per_second": ("Documents par seconde", "Documents per second"),
    "memory": ("Mémoire (Mo)", "Memory (MB)"),
    "comparison": ("Depuis la publication précédente", "Since the previous publication"),
    "usual": ("Par rapport à l'habitude", "Against what is usual"),
    "usual_lead": (
        "L'habitude est la médiane des {intervals} intervalles précédents. Un nombre sort de l'ordinaire quand il "
        "s'en écarte de plus de 4 fois l'écart médian de ces intervalles, et de plus de 10 %.",
        "Usual is the median of the {intervals} intervals before. A number is out of the ordinary when it strays "
        "from it by more than 4 times the median deviation of these intervals, and by more than 10%.",
    ),
    "usual_none": (
        "Il faut au moins cinq intervalles précédents pour dire ce qui est habituel.",
        "It takes at least five intervals before to say what is usual.",
    ),
    "habit": ("Habitude", "Usual"),
    "range": ("de {low} à {high}", "{low} to {high}"),
    "holds": ("habituel", "usual"),
    "holds_not": ("inhabituel", "unusual"),
    "unusual": ("Inhabituel : {name}, {now} (d'habitude {range}).", "Unusual: {name}, {now} (usually {range})."),
    "documents_per_day": ("Documents traités par jour", "Documents treated per day"),
    "epsilon_per_document": ("ε par document, en moyenne", "Mean ε per document"),
    "policy_changes": ("Ce que la politique a changé", "What the policy changed"),
    "policy_unknown": (
        "La politique a changé, mais l'une des deux a servi avant que leur contenu ne soit conservé.",
        "The policy changed, but one of the two served before their contents were kept.",
    ),
    "policy_same": ("La politique est la même.", "The policy is the same."),
    "key": ("Réglage", "Setting"),
    "absent": ("absent", "absent"),
    "comparison_none": (
        "C'est la première publication : rien à comparer.",
        "This is the first publication: nothing to compare with.",
    ),
    "before": ("Avant", "Before"),
    "now": ("Maintenant", "Now"),
    "change": ("Évolution", "Change"),
    "mentions_per_document": ("Mentions par document", "Mentions per document"),
    "quarantined_share": ("Part en quarantaine", "Share in quarantine"),
    "epsilon_median": ("ε médian par document", "Median ε per document"),
    "references": ("Référentiels", "Reference data"),
    "references_lead": (
        "Les données ouvertes en service aujourd'hui. L'écart compare le nombre de lignes à celui de la version "
        "chargée auparavant. Un référentiel trop ancien reste en service, mais mérite un regard.",
        "The open data in service today. Drift compares the number of rows with that of the version loaded before. A "
        "source that is too old stays in service, but deserves a look.",
    ),
    "references_none": (
        "Aucun référentiel n'a été chargé : les tables livrées avec le produit servent.",
        "No reference data was ever loaded: the tables that ship with the product serve.",
    ),
    "source": ("Source", "Source"),
    "version": ("Version", "Version"),
    "loaded": ("Chargé", "Loaded"),
    "age_days": ("Âge (jours)", "Age (days)"),
    "too_old": ("plus de {}", "over {}"),
    "rows": ("Lignes", "Rows"),
    "drift": ("Écart", "Drift"),
    "used": ("En service lors du traitement", "In service when processed"),
    "used_yes": ("oui", "yes"),
    "used_no": ("non : une autre version", "no: another version"),
    "versions": ("Versions", "Versions"),
    "policy_hash": ("Politique", "Policy"),
    "pipeline_version": ("Chaîne", "Pipeline"),
    "detector_version": ("Détecteur", "Detector"),
    "key_version": ("Clé", "Key"),
    "source_contract": ("Contrat de la source", "Source contract"),
    "dag_version": ("Version du DAG", "DAG version"),
    "reference": ("Référence", "Reference"),
    "changed": ("changé", "changed"),
    "more": ("et plus", "and more"),
    "median_mark": ("médiane", "median"),
    "p95_mark": ("95 %", "95%"),
    "footer": (
        "Ce rapport ne contient que des nombres : aucun texte, aucun nom, aucun identifiant de patient.",
        "This report holds numbers only: no text, no name, no patient's identifier.",
    ),
    "generated": ("Établi le", "Made on"),
    "index": ("Rapports de publication", "Release reports"),
    "interval": ("Intervalle", "Interval"),
    "state": ("État", "State"),
    "contents": ("Sommaire", "Contents"),
    "language": ("fr", "en"),
}

# Language → key → words
WORDING: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {lang: {key: pair[index] for key, pair in _WORDS.items()} for index, lang in enumerate(("fr", "en"))}
)

LABELS_ENGLISH: Mapping[str, str] = MappingProxyType(
    {
        "PATIENT": "Patient's name",
        "DOCTOR": "Professional's name",
        "PERSON": "Relative's or other name",
        "DATE": "Date",
        "RELDATE": "Relative date",
        "AGE": "Age",
        "STREET": "Street address",
        "ZIP": "Post code",
        "CITY": "Town",
        "LOC": "Other place",
        "ORG": "Organisation",
        "PHONE": "Phone",
        "EMAIL": "E-mail",
        "URL": "Web address",
        "NIR": "Social security number",
        "IPP": "Patient number",
        "NDA": "Stay or file number",
        "RPPS": "Professional's number",
        "ID": "Other identifier",
        "PROFESSION": "Profession",
        "NATIONALITY": "Nationality",
        "FAMILY": "Family situation",
        "RELIGION": "Religion",
        "ETHNICITY": "Ethnic origin",
        "COORDINATES": "Geographic coordinates",
    }
)

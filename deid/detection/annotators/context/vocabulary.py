"""Words that announce names, folded: titles, professions, kinship; as data."""

from __future__ import annotations

from deid.labels import Label

DOCTOR_TITLES = frozenset("dr drs docteur docteurs pr prs professeur professeurs prof doc dresse dre".split())
CIVILITIES = frozenset(
    "mme mmes madame mesdames mlle melle mademoiselle m mr mrs mm monsieur messieurs msr mle mad".split()
)
PERSON_TITLES = frozenset(
    "me maitre abbe capitaine adjt adjudant adj brigadier gendarme mdl mdlc lieutenant commandant colonel gardien agent pasteur "
    "diacre imam rabbin notaire maire substitut paix logis bdr opj mgr commissaire major sergent caporal cure juge procureur greffier "
    "man mamie papi papy meme pepe tonton tata tati mame pere".split()
)
PLURAL = frozenset(
    "presents presentes excuses participants redacteurs biologistes medecins praticiens chirurgiens equipe drs docteurs prs professeurs mmes mesdames messieurs mm internes externes ide ides infirmieres kines".split()
)
BIRTH = frozenset("nee ne epouse ep epse veuve vve divorcee dite dit".split())

PROFESSIONS = frozenset(
    "ide idel ides idec iade ibode ipa infirmier infirmiere infirmieres inf kine kines kinesitherapeute mk mkde interne internes "
    "externe psychologue psy psychiatre psychomotricienne dieteticienne dieteticien diet orthophoniste ergotherapeute ergo sf sage "
    "maieuticien secretaire secretariat cadre brancardier ambulancier ambulanciere amb manip manipulateur manipulatrice pharmacien "
    "pharmacienne biologiste radiologue chirurgien chirurgienne anesthesiste anesth mar cardiologue neurologue oncologue urologue "
    "gynecologue pediatre generaliste medecin gastroenterologue pneumologue rhumatologue dermatologue nephrologue hematologue "
    "endocrinologue geriatre urgentiste reanimateur ophtalmologue orl stomatologue dentiste podologue orthoptiste opticien "
    "audioprothesiste prothesiste orthoprothesiste operateur operatrice prescripteur prescriptrice signataire redacteur redactrice "
    "preleveur preleveuse regulateur regulatrice arm permanencier perfusionniste technicien technicienne laborantin soignante "
    "soignant ash as aes auxiliaire puericultrice pueric assistante assistant educateur educatrice animatrice conseillere coordinatrice "
    "coordinateur instrumentiste panseuse conducteur cond chauffeur eleve etudiante etudiant cca ccha chef senior junior astreinte "
    "frappe saisie relecture dictee transcription interlocutrice referente referent correspondant correspondants foniste anatomopathologiste "
    "pathologiste anapath genericien geneticien geneticienne masseur relu lu valide validee signe signee dicte redige tape "
    "anesthesie ext ph demandeur quorum signature coordonnateur instrumentation orthoptistes ioa nri parm cci gyneco neurochir chir ortho dermato eq equipe med mt mar infirmiers tapee supervision sage "
    "transmis releve vu vue sign int adjointe directeur directrice aumonier benevole avis dr".split()
)
# What may stand between a profession or relationship and the name.
FILLERS = frozenset(
    "de du des le la les d l en a au nuit jour garde bloc service coordinateur coordinatrice referent referente liberale liberal "
    "traitant traitante social sociale soignante soignant femme diplomee etat sante par et aide cheffe chef clinique hospitalier "
    "ainee aine cadet cadette unique petit petite grand grande maternel maternelle paternel paternelle jumeau jumelle majeur "
    "majeure prenomme prenommee nomme nommee appele appelee dit dite radiologie urgences salle accueil associe associee "
    "electroneuro specialisee anesthesiste anesthesie reanimation stagiaire principal principale delegue deleguee superieur "
    "circulante instrumentiste vasculaire orthopedique viscerale digestif cousine germaine germain belle beau demi".split()
)
KINSHIP = frozenset(
    "fils fille filles frere freres soeur soeurs sœur sœurs mari epoux epouse femme conjoint conjointe compagne compagnon concubin concubine "
    "pere mere maman papa parents oncle tante neveu niece cousin cousine cousins gendre bru beaufils bellefille grandmere grandpere "
    "mamie papi papy meme pepe petitfils petitefille parrain marraine tuteur tutrice curateur curatrice voisin voisine voisins ami amie "
    "amis copain copine collegue employeur patron patronne aidant aidante fiancee fiance jumelle jumeau jumelles jumeaux cadet "
    "cadette aine ainee bebe nourrice gardienne locataire proprietaire filleul filleule proche beau belle frangin frangine "
    "partenaire ex temoin interprete enfants garcon garcons coco enfant nounou baby".split()
)
# Words before a name that say by whom, of whom or to whom; worth something only before what looks like a name.
LINKS = {
    "par": (Label.DOCTOR, 0.62),
    "avis": (Label.DOCTOR, 0.7),
    "cher": (Label.DOCTOR, 0.8),
    "chere": (Label.DOCTOR, 0.8),
    "merci": (Label.DOCTOR, 0.62),
    "bonjour": (Label.DOCTOR, 0.62),
    "salut": (Label.DOCTOR, 0.62),
    "soussigne": (Label.DOCTOR, 0.9),
    "soussignee": (Label.DOCTOR, 0.9),
    "prenomme": (Label.PERSON, 0.8),
    "prenommee": (Label.PERSON, 0.8),
    "nomme": (Label.PERSON, 0.75),
    "nommee": (Label.PERSON, 0.75),
    "appelle": (Label.PERSON, 0.6),
    "famille": (Label.PERSON, 0.75),
    "patient": (Label.PATIENT, 0.8),
    "patiente": (Label.PATIENT, 0.8),
    "pat": (Label.PATIENT, 0.8),
    "pt": (Label.PATIENT, 0.75),
    "pte": (Label.PATIENT, 0.75),
    "bb": (Label.PATIENT, 0.7),
    "alias": (Label.PATIENT, 0.7),
    "surnomme": (Label.PERSON, 0.75),
    "surnommee": (Label.PERSON, 0.75),
    "presents": (Label.DOCTOR, 0.8),
    "presentes": (Label.DOCTOR, 0.8),
    "excuses": (Label.DOCTOR, 0.8),
    "excuse": (Label.DOCTOR, 0.8),
    "participants": (Label.DOCTOR, 0.8),
    "prevenir": (Label.PERSON, 0.65),
    "redacteurs": (Label.DOCTOR, 0.8),
    "biologistes": (Label.DOCTOR, 0.8),
    "medecins": (Label.DOCTOR, 0.7),
    "praticiens": (Label.DOCTOR, 0.75),
    "chirurgiens": (Label.DOCTOR, 0.75),
    "concerne": (Label.PATIENT, 0.75),
}

# Form fields: folded label of the field → whose name follows.
NAME_FIELDS = {
    "nom": Label.PATIENT,
    "noms": Label.PATIENT,
    "prenom": Label.PATIENT,
    "prenoms": Label.PATIENT,
    "naissance": Label.PATIENT,
    "usage": Label.PATIENT,
    "usuel": Label.PATIENT,
    "marital": Label.PATIENT,
    "jeune": Label.PATIENT,
    "patient": Label.PATIENT,
    "patiente": Label.PATIENT,
    "assure": Label.PATIENT,
    "beneficiaire": Label.PATIENT,
    "resident": Label.PATIENT,
    "residente": Label.PATIENT,
    "malade": Label.PATIENT,
    "concerne": Label.PATIENT,
    "identite": Label.PATIENT,
    "enfant": Label.PATIENT,
    "patientname": Label.PATIENT,
    "receveur": Label.PATIENT,
    "objet": Label.PATIENT,
    "contact": Label.PERSON,
    "confiance": Label.PERSON,
    "prevenir": Label.PERSON,
    "accompagnant": Label.PERSON,
    "appelant": Label.PERSON,
    "conjoint": Label.PERSON,
    "tuteur": Label.PERSON,
    "mere": Label.PERSON,
    "pere": Label.PERSON,
}
EPONYM_CUES = frozenset(
    "maladie maladies syndrome syndromes signe signes score scores test tests echelle loi triade pentade ampoule canal trou "
    "gelee sonde drain pince aiguille sutures suture classification stade grade methode technique manoeuvre manoeuvres "
    "operation procede index indice critere criteres reflexe phenomene tetralogie hernie nevralgie maladies mal thyroidite "
    "lymphome sarcome tumeur coude fracture fractures ligne ligament tendon corps cellules cellule anse espace sphincter "
    "position reaction coloration milieu gamma lobe oedeme angor demence encephalopathie purpura nodule nodules noeud "
    "faisceau fibres incision abord voie lambeau colobome chiasma aphasie aire echographie sillon scissure canaux glande "
    "glandes cirrhose ulcere diverticule kyste anneau bloc formule clairance epreuve angle arcade cavum artere veine "
    "pouls souffle respiration rythme type foramen polygone hexagone cercle membrane hiatus valve fistule shunt "
    "vaccin bacille mycose neuropathie myopathie dystrophie chorée choree paralysie atrophie anemie paraplegie "
    "equation retrecissement luxation arthropathie pied appareil corset attelle plaque vis clou prothese stent embolisation".split()
)

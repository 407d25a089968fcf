"""Words that announce names, folded: titles, professions, kinship; as data."""

from __future__ import annotations

from deid.domain.labels import Label

DOCTOR_TITLES = frozenset("dr drs docteur docteurs pr prs professeur professeurs prof doc dresse dre".split())
CIVILITIES = frozenset(
    """
    m mad madame mademoiselle melle mesdames messieurs mle mlle mm mme mmes monsieur mr mrs msr
    """.split()
)
PERSON_TITLES = frozenset(
    """
    abbe adj adjt adjudant agent bdr brigadier capitaine caporal colonel commandant commissaire cure diacre
    gardien gendarme greffier imam juge lieutenant logis maire maitre major mame mamie man mdl mdlc me meme mgr
    notaire opj paix papi papy pasteur pepe pere procureur rabbin sergent substitut tata tati tonton
    """.split()
)
PLURAL = frozenset(
    """
    biologistes chirurgiens docteurs drs equipe excuses externes ide ides infirmieres internes kines medecins
    mesdames messieurs mm mmes participants praticiens presentes presents professeurs prs redacteurs
    """.split()
)
BIRTH = frozenset("nee ne epouse ep epse veuve vve divorcee dite dit".split())

PROFESSIONS = frozenset(
    """
    adjointe aes amb ambulancier ambulanciere anapath anatomopathologiste anesth anesthesie anesthesiste
    animatrice arm as ash assistant assistante astreinte audioprothesiste aumonier auxiliaire avis benevole
    biologiste brancardier cadre cardiologue cca ccha cci chauffeur chef chir chirurgien chirurgienne cond
    conducteur conseillere coordinateur coordinatrice coordonnateur correspondant correspondants demandeur
    dentiste dermato dermatologue dicte dictee diet dieteticien dieteticienne directeur directrice dr educateur
    educatrice eleve endocrinologue eq equipe ergo ergotherapeute etudiant etudiante ext externe foniste frappe
    gastroenterologue generaliste genericien geneticien geneticienne geriatre gyneco gynecologue hematologue
    iade ibode ide idec idel ides inf infirmier infirmiere infirmieres infirmiers instrumentation instrumentiste
    int interlocutrice interne internes ioa ipa junior kine kines kinesitherapeute laborantin lu maieuticien
    manip manipulateur manipulatrice mar masseur med medecin mk mkde mt nephrologue neurochir neurologue nri
    oncologue operateur operatrice ophtalmologue opticien orl ortho orthophoniste orthoprothesiste orthoptiste
    orthoptistes panseuse parm pathologiste pediatre perfusionniste permanencier ph pharmacien pharmacienne
    pneumologue podologue preleveur preleveuse prescripteur prescriptrice prothesiste psy psychiatre psychologue
    psychomotricienne pueric puericultrice quorum radiologue reanimateur redacteur redactrice redige referent
    referente regulateur regulatrice relecture releve relu rhumatologue sage saisie secretaire secretariat
    senior sf sign signataire signature signe signee soignant soignante stomatologue supervision tape tapee
    technicien technicienne transcription transmis urgentiste urologue valide validee vu vue
    """.split()
)
# What may stand between a profession or relationship and the name.
FILLERS = frozenset(
    """
    a accueil aide aine ainee anesthesie anesthesiste appele appelee associe associee au beau belle bloc cadet
    cadette chef cheffe circulante clinique coordinateur coordinatrice cousine d de delegue deleguee demi des
    digestif diplomee dit dite du electroneuro en et etat femme garde germain germaine grand grande hospitalier
    instrumentiste jour jumeau jumelle l la le les liberal liberale majeur majeure maternel maternelle nomme
    nommee nuit orthopedique par paternel paternelle petit petite prenomme prenommee principal principale
    radiologie reanimation referent referente salle sante service social sociale soignant soignante specialisee
    stagiaire superieur traitant traitante unique urgences vasculaire viscerale
    """.split()
)
KINSHIP = frozenset(
    """
    aidant aidante aine ainee ami amie amis baby beau beaufils bebe belle bellefille bru cadet cadette coco
    collegue compagne compagnon concubin concubine conjoint conjointe copain copine cousin cousine cousins
    curateur curatrice employeur enfant enfants epouse epoux ex femme fiance fiancee fille filles filleul
    filleule fils frangin frangine frere freres garcon garcons gardienne gendre grandmere grandpere interprete
    jumeau jumeaux jumelle jumelles locataire maman mamie mari marraine meme mere neveu niece nounou nourrice
    oncle papa papi papy parents parrain partenaire patron patronne pepe pere petitefille petitfils proche
    proprietaire soeur soeurs sœur sœurs tante temoin tuteur tutrice voisin voisine voisins
    """.split()
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

# Words that look like initials.
NOT_INITIALS = frozenset(
    """
    am au bu ce co cr crp de des dr du ecg en et hb ide il irm kg la le les mt na nb nfs ok on pa par pj pm ps
    rx sa si sos sur ta tdm tn un une
    """.split()
)
# Words before an address.
HOME_CUES = frozenset(
    """
    adr adresse demeurant demeure dom domicilie domiciliee domicilies habitant habite habitent loge logee
    residant reside rue vit
    """.split()
)

# Form fields: folded label of the field → whose name follows.
NAME_FIELDS = {
    "nom": Label.PATIENT,
    "noms": Label.PATIENT,
    "prenom": Label.PATIENT,
    "prenoms": Label.PATIENT,
    "naissance": Label.PATIENT,
    "usage": Label.PATIENT,
    "usuel": Label.PATIENT,
    "etiquette": Label.PATIENT,
    "fille": Label.PATIENT,
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
    """
    abord aiguille aire ampoule anemie angle angor anneau anse aphasie appareil arcade artere arthropathie
    atrophie attelle bacille bloc canal canaux cavum cellule cellules cercle chiasma choree chorée cirrhose
    clairance classification clou colobome coloration corps corset coude critere criteres demence diverticule
    drain dystrophie echelle echographie embolisation encephalopathie epreuve equation espace faisceau fibres
    fistule foramen formule fracture fractures gamma gelee glande glandes grade hernie hexagone hiatus incision
    index indice kyste lambeau ligament ligne lobe loi luxation lymphome mal maladie maladies manoeuvre
    manoeuvres membrane methode milieu mycose myopathie neuropathie nevralgie nodule nodules noeud oedeme
    operation paralysie paraplegie pentade phenomene pied pince plaque polygone position pouls procede prothese
    purpura reaction reflexe respiration retrecissement rythme sarcome scissure score scores shunt signe signes
    sillon sonde souffle sphincter stade stent suture sutures syndrome syndromes technique tendon test tests
    tetralogie thyroidite triade trou tumeur type ulcere vaccin valve veine vis voie
    """.split()
)
# Those of two people that the table of eponyms lacks.
DOUBLE_EPONYMS = frozenset(
    """
    adams-stokes stokes-adams aschoff-tawara austin-moore babinski-nageotte bannwarth-garin bland-altman
    blalock-taussig bassen-kornzweig binet-simon brown-sequard bourneville-pringle brown-vialetto buckley-hamilton
    cheyne-stokes chediak-higashi chiari-frommel cobb-lippmann cogan-reese crigler-najjar cockcroft-gault
    diamond-blackfan dandy-walker fitz-hugh-curtis foster-kennedy freeman-sheldon friedlander-wegener
    gitelman-bartter glanzmann-naegeli goldman-cox gorlin-goltz graefe-usher grisel-bourgeois guyon-pfannenstiel
    hand-schuller-christian hashimoto-pritzker hunter-hurler hill-sachs hoffman-tinel hunt-hess jones-thompson
    kasabach-merritt kimmelstiel-wilson klippel-trenaunay kocher-langenbeck korsakoff-wernicke lassegue-bragard
    lance-adams laurence-moon leri-weill li-fraumeni lown-ganong-levine mallory-weiss martin-bell maroteaux-lamy
    may-thurner may-hegglin mayer-rokitansky meige-milroy mirizzi-courvoisier moll-zeis morgagni-adams-stokes
    moynihan-marion muir-torre osgood-schlatter osler-weber-rendu paget-schroetter parinaud-bell parsonage-turner
    pickwick-gelineau plummer-vinson rendu-osler romberg-barre rokitansky-kuster rubinstein-taybi russell-silver
    sandifer-hirschberg schober-macrae shy-drager smith-lemli-opitz smith-magenis souques-babinski stein-leventhal
    sengstaken-blakemore sever-osgood swan-ganz treacher-collins trelat-guyon valsalva-weber van-der-woude
    von-hippel-lindau whipple-child wegener-klinger
    """.split()
)
# Germs that are written like a town or a person ("ulcère à Helicobacter").
GENERA = frozenset(
    """
    acinetobacter aspergillus bacteroides bartonella bordetella borrelia brucella campylobacter candida chlamydia
    citrobacter clostridioides clostridium corynebacterium coxiella cryptococcus cutibacterium enterobacter
    enterococcus escherichia fusobacterium gardnerella haemophilus hafnia helicobacter klebsiella legionella
    leishmania leptospira listeria moraxella morganella mycobacterium mycoplasma neisseria nocardia pasteurella
    plasmodium pneumocystis prevotella proteus providencia pseudomonas rickettsia salmonella serratia shigella
    staphylococcus stenotrophomonas streptococcus toxoplasma treponema ureaplasma vibrio yersinia
    """.split()
)


# Head words of organisations and what may stand inside their names, folded; as data.
# Head words that need a continuation to name one organisation.
ORGANISATION_HEADS = frozenset(
    """
    abattoir abbatiale abbaye acieries adapei admr agence ambassade ambulance ambulances amicale apf aphp
    armement ars ase asso association assurance assurances atelier ateliers auberge audition banque bar base
    bataillon bibliotheque boucherie boulangerie brasserie brigade caarud cabinet cabinets cada caf cafe caisse
    camping camsp carsat caserne cattp cave ccas centre cer cfa ch chantier chantiers charpente chg chi chp chr
    chrs chru chs chu clinique club cmp cmpp cms cnr cokeries college comite commissariat communaute compagnie
    congregation conseil conservatoire conserverie conserveries consulat cooperative cour couvent cpam cph
    creche credit crematorium crip croix csapa ddass detention distillerie domaine dreal earl ecole efs eglise
    ehpad elevage entreprise epicerie epsm equipe esat espace etablissement etablissements ets eurl federation
    ferme fondation fonderie forge foyer funerarium gaec garage gendarmerie ght ghu groupe groupement had halte
    hopital hopitaux hospices hospitalier hotel ifsi imagerie ime imprimerie infirmerie institut institution
    internat itep jalmalv labo laboratoire laboratoires laiterie librairie lycee lycees magasin mairie maison
    marbrerie maternelle maternite mdpa mdph mediatheque medipole menuiserie mercerie monastere mosquee msa msp
    mspp musee mutuelle office oncopole orphelinat papeterie paroisse pavillon peloton pensionnaire pensionnat
    pharmacie plateforme plomberie pmi pole polyclinique pompes prefecture prestataire preventorium prevoyance
    prison radiologie regie regiment reseau residence residences restaurant rucher sa samsah samu sanatorium
    sarl sas savs scierie scp sdis secours selarl service smr snsm societe ssiad ssr ste supermarche
    synagogue syndicat tannerie taxi taxis temple tgi theatre toitures transports tresorerie tribunal udaf uhr
    umg unapei unite universite urps usine usld village vsl winstub
    """.split()
)
# Acronyms whose bare form names an organisation of its own.
ORGANISATION_ACRONYMS = frozenset(
    """
    ap-hp aphp aprr biogroup cerballiance edf efs gdf groupama harmonie lmde macif maif matmut mgen ratp sncf
    snsm synlab unilabs
    """.split()
)
# Bare heads whose own capital says little; they need two words or a cue.
WEAK_HEADS = frozenset(
    """
    agence ambulance assurance atelier bar base brigade cabinet cafe caisse cave centre chantier club conseil
    credit croix detention domaine equipe espace etablissement ferme foyer garage groupe had hospitalier hotel
    imagerie infirmerie maison office pavillon peloton pole prison radiologie regie reseau residence restaurant
    sa samu secours service smr ssr ste taxi temple unite usine village
    """.split()
)
ORGANISATION_FILLERS = frozenset(
    """
    ' - a agricole aide allocations analyses anatomie anticancereux apprentis arret assurance au autodialyse aux
    biologie cancer cardiologique chirurgical chirurgicale comite commerce contre convalescence cycliste
    cytologie d de dentaire departemental departementale departementaux des detention domicile du eau
    elementaire en enfance et familiales famille familles femmes fetes forets formation francais francaise
    funebres general generale gerontologie grande hommes hospitalier hospitaliere hospitaliers imagerie
    infantile instance intercommunal intercommunale interieur jour judiciaire l la le les loisirs long lutte
    maladie marbrerie maternelle medical medicale medicales medico mobile municipal municipale mutualiste
    national nationale naval navale nuit obstetrical obstetricale ophtalmologique pathologie pathologies
    penitentiaire polyvalent pour primaire prive privee professionnel professionnelles protection psychiatrique
    publique radiologie readaptation reeducation regional regionale regionaux repos retraite sante scolaire
    secours securite sejour social sociale soins sous soutien specialise specialisee sportif sportive superieur
    superieure sur technique tourisme travail universitaire universitaires urgence vieillesse
    """.split()
)
ORGANISATION_PARTICLES = frozenset("de du des d la le les l et en aux au a sur sous pour".split())


# Generic services: with a mere town after them, only the town identifies.
SERVICE_HEADS = frozenset(
    """
    boucherie boulangerie brigade cabinet cafe camping caserne centre cimetiere cmp cnr college commissariat
    creche ecole eglise garage gendarmerie hotel imagerie laboratoire lycee mairie maternite peloton pharmacie
    pmi prison radiologie restaurant temple unite
    """.split()
)
SPECIFYING_WORDS = ORGANISATION_FILLERS - ORGANISATION_PARTICLES
ADJECTIVE_ENDS = (
    "ique",
    "iques",
    "al",
    "ale",
    "ales",
    "aux",
    "aire",
    "aires",
    "if",
    "ive",
    "ives",
    "ee",
    "ees",
    "o",
    "iere",
    "iere",
    "ier",
)
ORGANISATION_STOPS = frozenset(
    """
    a avec cedex chef consultation depuis docteur dont dr elle est fax il ipp madame mme monsieur mr nda nom ou
    par patient pole pour pr professeur que qui secretariat service tel telephone unite
    """.split()
)
NUMBERED_HEADS = frozenset("sdis samu cnr lycee universite paris umg cmp crip udaf ase cpam caf mdph ado umd".split())

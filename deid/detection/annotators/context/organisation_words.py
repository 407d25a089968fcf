"""Head words of organisations and what may stand inside their names, folded; as data."""

from __future__ import annotations

# Head words that need a continuation to name one organisation.
HEADS = frozenset(
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
ALONE = frozenset(
    """
    ap-hp aphp aprr biogroup cerballiance edf efs gdf groupama harmonie lmde macif maif matmut mgen ratp sncf
    snsm synlab unilabs
    """.split()
)
# Bare heads whose own capital says little; they need two words or a cue.
WEAK = frozenset(
    """
    agence ambulance assurance atelier bar base brigade cabinet cafe caisse cave centre chantier club conseil
    credit croix detention domaine equipe espace etablissement ferme foyer garage groupe had hospitalier hotel
    imagerie infirmerie maison office pavillon peloton pole prison radiologie regie reseau residence restaurant
    sa samu secours service smr ssr ste taxi temple unite usine village
    """.split()
)
FILL = frozenset(
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
PARTICLES = frozenset("de du des d la le les l et en aux au a sur sous pour".split())


# Generic services: with a mere town after them, only the town identifies.
SERVICES = frozenset(
    """
    boucherie boulangerie brigade cabinet cafe camping caserne centre cimetiere cmp cnr college commissariat
    creche ecole eglise garage gendarmerie hotel imagerie laboratoire lycee mairie maternite peloton pharmacie
    pmi prison radiologie restaurant temple unite
    """.split()
)
SPECIFIC = FILL - PARTICLES
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
STOPPERS = frozenset(
    """
    a avec cedex chef consultation depuis docteur dont dr elle est fax il ipp madame mme monsieur mr nda nom ou
    par patient pole pour pr professeur que qui secretariat service tel telephone unite
    """.split()
)
NUMBERED = frozenset("sdis samu cnr lycee universite paris umg cmp crip udaf ase cpam caf mdph ado umd".split())

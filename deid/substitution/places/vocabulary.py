"""Words of French addresses: kinds of ways and of places, unit words, and names to put in their stead."""

from __future__ import annotations

# Kinds of ways, folded, with the whole word that the street table files them under.
WAYS = {
    "rue": "rue", "r": "rue", "avenue": "avenue", "av": "avenue", "ave": "avenue", "boulevard": "boulevard",
    "bd": "boulevard", "bld": "boulevard", "boul": "boulevard", "bvd": "boulevard", "place": "place", "pl": "place",
    "placette": "place", "chemin": "chemin", "ch": "chemin", "che": "chemin", "chem": "chemin", "impasse": "impasse",
    "imp": "impasse", "allee": "allée", "allees": "allée", "all": "allée", "route": "route", "rte": "route",
    "quai": "quai", "qu": "quai", "cours": "cours", "crs": "cours", "square": "square", "sq": "square",
    "passage": "passage", "pas": "passage", "pass": "passage", "ruelle": "ruelle", "sente": "chemin",
    "sentier": "chemin", "montee": "montée", "mtee": "montée", "cote": "montée", "faubourg": "rue", "fg": "rue",
    "fbg": "rue", "esplanade": "place", "promenade": "allée", "voie": "voie", "traverse": "traverse",
    "venelle": "ruelle", "villa": "villa", "cite": "cité", "hent": "chemin", "chaussee": "route", "parvis": "place",
    "rond-point": "place", "mail": "allée", "carrefour": "place", "cour": "cour", "carrere": "rue", "carriera": "rue",
}  # fmt: skip
# Kinds of places that a name follows, folded; the word is kept and the name is replaced.
SITES = frozenset(
    "residence res rés immeuble imm batiment bat bât tour hameau ham lieu-dit lieudit lieu ferme mas domaine quartier "
    "qua qu lotissement lot clos chateau moulin foyer camp hlm village tribu zone zi za zac zup parc villa cite "
    "maison pavillon manoir caserne camping port bourg pk case ehpad bungalow chalet coron metairie".split()
)
# Words that count parts of a building or boxes of a post office: a letter or number follows.
UNITS = frozenset(
    "bis ter quater n no numero etage etg etages appt app apt appartement porte pte escalier esc entree logement lgt "
    "bp b p cs tsa cedex cidex boite postale chambre ch studio droite gauche rdc rez chaussee face er ere eme e niveau "
    "hall bloc bat bât batiment tour et de la le au".split()
)
# Words of an address that say nothing by themselves.
PLAIN = frozenset(
    "de du des d l la le les en et a au aux bis ter quater dit n no numero etage etg etages appt app apt appartement "
    "porte pte escalier esc entree logement lgt bp cs tsa cedex cidex boite postale chez chambre ch studio droite "
    "gauche rdc rez chaussee face er ere eme e artisanale industrielle activites d'activites bourg centre ville "
    "prolongee prolonge ancienne ancien grande grand petite petit route nationale departementale rn rd km cote "
    "derriere devant pres sous sur niveau hall bloc etb terrain mairie eglise dessus dessous haut bas hauts "
    "lieu dit rond point chef chef-lieu premier premiere deuxieme second seconde troisieme".split()
) | SITES | frozenset(WAYS)  # fmt: skip

SITE_NAMES = (
    "des Tilleuls", "des Acacias", "des Peupliers", "des Lilas", "des Cèdres", "du Parc", "des Glycines", "du Verger",
    "des Églantines", "du Belvédère", "de la Source", "des Pinsons", "de la Prairie", "des Merisiers", "du Lavoir",
    "des Alouettes", "de la Fontaine", "des Noisetiers", "du Grand Pré", "des Coquelicots", "des Mésanges",
    "du Vallon", "des Genêts", "de la Clairière", "des Bleuets", "des Hirondelles", "du Ruisseau", "des Châtaigniers",
    "des Charmes", "des Roseaux", "de Beauregard", "de Bellevue", "des Érables", "de la Garenne", "des Oliviers",
    "des Jonquilles",
)  # fmt: skip
HAMLETS = (
    "Les Grands Champs", "La Croix Verte", "Le Petit Bois", "Les Quatre Vents", "La Noue", "Le Vieux Four",
    "Les Essarts", "La Haute Borne", "Le Pré Long", "Les Sablons", "La Tuilerie", "Le Champ du Puits", "Les Brosses",
    "La Vigne Haute", "Le Gué", "Les Chaumes", "La Roche Plate", "Le Clos Neuf", "Les Marais", "La Combe",
    "Le Poirier", "Les Vernes", "La Bergerie", "Le Grand Chêne", "Les Fougères", "La Sablière", "Le Breuil",
    "Les Ormeaux", "La Lande", "Le Buisson",
)  # fmt: skip

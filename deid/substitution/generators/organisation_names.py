"""Names of organisations to draw from, by kind: each of many establishments, or known in the whole country.

Written for this product from common knowledge; taken from no table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum


class OrgKind(StrEnum):
    """Kind of an organisation, kept by its surrogate."""

    HOSPITAL = "hospital"
    CLINIC = "clinic"
    CARE_HOME = "care home"
    LABORATORY = "laboratory"
    PHARMACY = "pharmacy"
    PRACTICE = "practice"
    SCHOOL = "school"
    EMPLOYER = "employer"
    ASSOCIATION = "association"
    INSURER = "insurer"
    BANK = "bank"
    ADMINISTRATION = "administration"
    TRANSPORT = "transport"
    MILITARY = "military"
    OTHER = "other"


def _list(text: str) -> tuple[str, ...]:
    return tuple(" ".join(name.split()) for name in text.split(",") if name.strip())


PEOPLE = _list("""
Jules Ferry, Jean Jaurès, Victor Hugo, Louis Pasteur, Marie Curie, Jean Moulin, Jacques Prévert, Émile Zola, Paul
Éluard, Louis Aragon, Pablo Picasso, Georges Brassens, Jean Monnet, Robert Schuman, Simone Veil, Lucie Aubrac, Claude
Monet, Paul Cézanne, Albert Camus, Jules Verne, George Sand, Jean de La Fontaine, Alphonse Daudet, Marcel Pagnol,
Frédéric Mistral, Honoré de Balzac, Gustave Flaubert, Guy de Maupassant, Charles Perrault, Pierre Mendès France, Léon
Blum, Gustave Eiffel, Ambroise Croizat, Paul Langevin, Claude Debussy, Hector Berlioz, Georges Bizet, Maurice Ravel,
Rosa Parks, Nelson Mandela, Joséphine Baker, Olympe de Gouges, Louise Michel, Françoise Dolto, Célestin Freinet,
Pierre Brossolette, Henri Barbusse, Romain Rolland, Edmond Rostand, Théophile Gautier, Alfred de Musset, Paul
Verlaine, Arthur Rimbaud, Charles Péguy, Jean Macé, Paul Bert, Jean Zay, Jean Rostand, Marcel Cachin, Édouard Vaillant
""")
PHYSICIANS = _list("""
Ambroise Paré, Claude Bernard, Laennec, Pasteur, Calmette, Villemin, Broussais, Esquirol, Récamier, Corvisart,
Velpeau, Émile Roux, Yersin, Albert Schweitzer, Marie Curie, Pierre Curie, Paul Brousse, Jean Bernard, Robert Debré,
Jean Dausset, Jacques Monod, François Jacob, Madeleine Brès, Nicole Girard-Mangin, Henri Dunant, Louis Vaquez
""")
SAINTS = _list("""
Saint-Joseph, Sainte-Marie, Saint-Vincent, Saint-Luc, Sainte-Anne, Saint-Louis, Saint-Jean, Saint-Pierre, Saint-Paul,
Saint-Michel, Saint-Martin, Sainte-Thérèse, Sainte-Barbe, Sainte-Élisabeth, Saint-François, Saint-Antoine,
Saint-Charles, Saint-Camille, Saint-Roch, Saint-Augustin, Saint-Georges, Sainte-Catherine, Sainte-Claire,
Saint-Hilaire, Saint-Germain, Notre-Dame, Saint-Jacques, Saint-Étienne, Saint-Nicolas, Saint-Grégoire, Sainte-Odile,
Sainte-Geneviève, Saint-Côme, Sainte-Marthe, Saint-Benoît, Sainte-Bernadette
""")
_PLURALS = _list("""
Tilleuls, Cèdres, Lilas, Érables, Glycines, Acacias, Marronniers, Peupliers, Mimosas, Magnolias, Oliviers, Genêts,
Bruyères, Pins, Chênes, Ormes, Charmes, Bouleaux, Hortensias, Camélias, Jonquilles, Églantines, Coquelicots, Bleuets,
Pervenches, Violettes, Iris, Vergers, Vignes, Jardins, Collines, Fontaines, Sources, Alizés, Embruns, Hirondelles,
Mésanges, Colombes, Cigales, Remparts, Terrasses, Sablons, Ajoncs, Fougères, Noisetiers, Amandiers, Platanes, Sapins,
Mélèzes, Aubépines, Capucines, Coteaux, Quatre Vents, Rives, Prés, Moulins, Étangs, Dunes
""")
GARDENS = tuple(f"Les {name}" for name in _PLURALS)
_OF_SITES = _list("""
du Parc, de l'Orangerie, de la Roseraie, du Val Fleuri, de la Source, du Lac, de la Forêt, du Grand Large, de l'Étang,
de la Colline, du Château, du Moulin, de l'Europe, du Belvédère, de la Vallée, du Plateau, de la Plaine, du Bocage, de
l'Estuaire, de la Côte, du Vallon, de la Fontaine, du Verger, de la Prairie, du Ruisseau, de la Pinède
""")
_OF_STREETS = _list("""
de la Gare, du Centre, de la Mairie, du Marché, de l'Église, de la Poste, du Pont, des Halles, de la Place, du
Théâtre, de la République, de la Liberté, de l'Hôtel de Ville, du Rond-Point, de la Fontaine, du Port, des Écoles, du
Lavoir, de l'Avenue, du Faubourg, des Arcades, de la Tour, du Beffroi, de la Cathédrale, du Château, de l'Europe
""")
_OF_GARDENS = tuple(f"des {name}" for name in _PLURALS)

# What follows the word of a kind: "clinique du Parc", "EHPAD Les Lilas", "école Jean Jaurès".
COMPLEMENTS: Mapping[OrgKind, Sequence[str]] = {
    OrgKind.HOSPITAL: (*SAINTS, *PHYSICIANS),
    OrgKind.CLINIC: (*_OF_SITES, *_OF_GARDENS, *SAINTS, *PHYSICIANS),
    OrgKind.CARE_HOME: (*GARDENS, *SAINTS, *_OF_SITES),
    OrgKind.LABORATORY: (*_OF_STREETS, *PHYSICIANS, *_OF_SITES),
    OrgKind.PHARMACY: (*_OF_STREETS, *_OF_GARDENS),
    OrgKind.PRACTICE: (*_OF_STREETS, *_OF_GARDENS, *_OF_SITES),
    OrgKind.SCHOOL: (*PEOPLE, *SAINTS),
    OrgKind.ASSOCIATION: _list("""
        Main dans la main, Horizon, Solidarité, Le Fil, L'Escale, Le Relais, Entraide, Espoir, Passerelles, L'Étape,
        Vivre ensemble, Trait d'union, La Maison bleue, Arc-en-ciel, Tremplin, Le Phare, L'Élan, Renaissance, Le
        Tilleul, Rencontres, L'Abri, Accueil et partage, Le Lien, La Passerelle, Second souffle, Cap santé
    """),
    OrgKind.INSURER: _list("""
        du Centre, de l'Ouest, de l'Est, du Midi, Prévoyance, Entraide, Solidarité, de la Plaine, Bleue, Générale, des
        Services publics, Familiale, des Métiers, de France, Alliance, des Provinces, de l'Artisanat, Avenir
    """),
    OrgKind.EMPLOYER: (*_OF_GARDENS, *_OF_SITES, *_OF_STREETS),
    OrgKind.TRANSPORT: (*SAINTS, *_OF_SITES, *_OF_GARDENS),
    OrgKind.MILITARY: _list("""
        Lyautey, Leclerc, Joffre, Foch, Kléber, Marceau, Hoche, Desaix, Vauban, Turenne, Condé, Bayard, Lannes, Ney,
        Murat, Davout, Mac-Mahon, Bugeaud, Galliéni, Lecourbe, Drouot, Carnot
    """),
    OrgKind.OTHER: (*GARDENS, *_OF_SITES, *SAINTS),
}

# Whole names, each with its article: "la SNCF", "le Crédit agricole", "Airbus".
_WHOLE = {
    OrgKind.EMPLOYER: """
        Airbus, Renault, Peugeot, Michelin, Carrefour, Leclerc, Auchan, Décathlon, la Poste, Orange, EDF, Engie,
        Veolia, Suez, Bouygues, Vinci, Eiffage, Safran, Thales, Dassault, Alstom, Saint-Gobain, Danone, Lactalis,
        L'Oréal, Sodexo, Elior, Onet, Derichebourg, Legrand, Schneider, Valeo, Faurecia, ArcelorMittal, Arkema, Air
        liquide, Castorama, Leroy Merlin, Boulanger, Amazon, la Fnac, Intermarché, le Super U, Lidl, Aldi, Casino,
        Monoprix
    """,
    # No name says an illness, a handicap or an origin: it would tell it of the patient.
    OrgKind.ASSOCIATION: """
        le Secours populaire, le Secours catholique, la Croix-Rouge, Emmaüs, les Restos du cœur, les Petits frères des
        pauvres, l'Armée du salut, Familles rurales, l'ADMR, la Protection civile, France Bénévolat, ATD Quart Monde,
        la Ligue de l'enseignement, les Scouts de France, les Éclaireurs de France, les Francas, la Banque alimentaire,
        Générations mouvement, le Souvenir français, le Lions Club, le Rotary Club, l'Ufcv, la Société de
        Saint-Vincent-de-Paul, l'Amicale laïque, la Fédération des œuvres laïques, l'UFC-Que choisir
    """,
    OrgKind.INSURER: """
        la MGEN, la Maif, la Macif, la Matmut, la MMA, Groupama, Axa, Allianz, Generali, Harmonie mutuelle, AG2R La
        Mondiale, Malakoff Humanis, Aésio, Swiss Life, la GMF, la MAAF, Apicil, Klesia, la Mutuelle générale, la MNT,
        la MNH, Intériale, Unéo, Thélem assurances, Pacifica, la MGP, Aésio mutuelle, la Mutuelle familiale, Solimut
        mutuelle, Apivia mutuelle, Adréa mutuelle, la Mutuelle bleue, la Mutuelle de France unie, Allianz assurances,
        Groupama assurances, Abeille assurances
    """,
    OrgKind.BANK: """
        le Crédit agricole, le Crédit mutuel, la BNP, la Société générale, la Banque postale, la Caisse d'épargne, le
        CIC, le LCL, la Banque populaire, le Crédit coopératif, HSBC, BoursoBank, la Bred, le Crédit du Nord
    """,
    OrgKind.ADMINISTRATION: """
        la CPAM, la CAF, la Carsat, l'Urssaf, la MSA, la MDPH, France Travail, la préfecture, le conseil
        départemental, l'ARS, l'inspection académique, le rectorat, la DDETS, le tribunal judiciaire, le CCAS, la
        trésorerie
    """,
    OrgKind.TRANSPORT: """
        la SNCF, la RATP, Keolis, Transdev, Air France, Geodis, la Compagnie des Alpes, Flixbus, Chronopost, DHL,
        Fedex, UPS, XPO, Norbert Dentressangle, Heppner, STEF, Corsair, Transavia, Easyjet, Brittany Ferries
    """,
    OrgKind.MILITARY: """
        le 1er régiment d'infanterie, le 2e régiment de dragons, le 3e régiment du génie, le 5e régiment de
        cuirassiers, le 6e régiment du matériel, le 7e bataillon de chasseurs alpins, le 8e régiment d'artillerie, le
        9e régiment de soutien aéromobile, le 12e régiment de cuirassiers, le 13e régiment du génie, le 16e bataillon
        de chasseurs, le 19e régiment du génie, le 21e régiment d'infanterie de marine, le 27e bataillon de chasseurs
        alpins, le 31e régiment du génie, le 35e régiment d'infanterie, le 40e régiment d'artillerie, le 53e régiment
        de transmissions, le 61e régiment d'artillerie, le 92e régiment d'infanterie, le 121e régiment du train, le
        126e régiment d'infanterie, le 152e régiment d'infanterie, le 503e régiment du train, le 511e régiment du
        train
    """,
    OrgKind.LABORATORY: """
        Cerballiance, Biogroup, Eurofins, Synlab, Inovie, Unilabs, Bioclinic, Biomnis, Cerba, Dynabio, Labosud,
        Biofusion, Ouilab, Cab, Novabio, Biolib, Oriade, Biopath, Bioxa, Biolab
    """,
}
WHOLE: Mapping[OrgKind, Sequence[str]] = {
    **{kind: _list(names) for kind, names in _WHOLE.items()},
    **dict.fromkeys((OrgKind.HOSPITAL, OrgKind.CLINIC), (*PHYSICIANS, *SAINTS)),
    OrgKind.SCHOOL: (*PEOPLE, *SAINTS),
    OrgKind.OTHER: (*PHYSICIANS, *SAINTS, *GARDENS),
    OrgKind.CARE_HOME: (*GARDENS, *SAINTS),
    OrgKind.PHARMACY: tuple(f"la pharmacie {name}" for name in _OF_STREETS),
    OrgKind.PRACTICE: (*GARDENS, *SAINTS),
}

# Names of WHOLE, folded without article, and others that texts give: a bare name tells its kind.
KNOWN: Mapping[OrgKind, Sequence[str]] = {
    OrgKind.EMPLOYER: _list("la poste, gdf, gaz de france, psa, citroen, stellantis, total, sncm, usinor, sollac"),
    OrgKind.INSURER: _list(
        "maif, macif, thelem, mutuelle, lmde, smeno, mae, mgp, mutex, cnp, ag2r, humanis, presence verte"
    ),
    OrgKind.BANK: _list("banque de france, bnp paribas, ing, la nef, societe generale"),
    OrgKind.ADMINISTRATION: _list(
        "enim, ofii, ase, opj, dgfip, ddass, pole emploi, cnav, cnil, agirc, arrco, cnsa, crip"
    ),
    OrgKind.TRANSPORT: _list("tcl, tan, tadao, air tahiti, air austral, air caraibes, tisseo, ouigo, blablacar"),
    OrgKind.ASSOCIATION: _list("""
        aa, al-anon, sos medecins, sos amitie, ligue, unafam, cimade, aurore, fnath, apf, france alzheimer, vie libre,
        ligue contre le cancer, adapei, medecins du monde, alcooliques anonymes, france parkinson, afm, aides, planning
        familial, association des paralyses de france, papillons blancs
    """),
    OrgKind.LABORATORY: _list("atoutbio, biogroup, cerba, eurofins biomnis"),
}

"""Words of uniqueness: letters that tell of one person, read or not when the words were chosen, and ordinary care."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.quality.uniqueness import find_unique_people
from nocturne_lab.evaluation.corpus import load_corpus

LETTER = "Madame, Monsieur,\n\nJ'ai revu ce patient pour une toux. {told}\nLe dernier contrôle est normal.\n"

# The patterns were written beside these.
TELLING = """\
Facteur d'orgues, le dernier du département, il travaille encore à l'atelier.
Monsieur est le seul maréchal-ferrant de la vallée et reçoit des chevaux tous les jours.
Elle fut la première femme à commander un remorqueur dans le port de Brest.
Devenu à vingt-deux ans le plus jeune maire de France, il n'a plus de mandat.
Cette forme de la maladie n'est connue que chez deux personnes en France.
L'enquête génétique retrouve deux cas en France, dont le sien.
Dernière dentellière de l'île, elle tient encore son étal le samedi.
C'est l'unique vétérinaire du canton, et il ne peut s'arrêter longtemps.
Doyenne du village, elle fêtera ses cent huit ans au printemps.
Il est le seul habitant du hameau à l'année et se chauffe au bois.
Seule survivante de l'accident de car, elle garde une boiterie.
Rescapé du naufrage d'un chalutier, il dort mal depuis.
Elle est la seule à jouer de la vielle à roue dans la région et souhaite reprendre vite.
Ancien champion de France de lutte bretonne, il reste sportif.
Médaillée d'argent aux Jeux olympiques, elle a gardé des lombalgies.
Ancien maire de la commune, il vit toujours dans la maison familiale.
Ils ne sont plus que trois en France à souffler ce verre, précise-t-il.
C'est l'un des quatre derniers gardiens de phare du littoral.
Père de quintuplés, il dit dormir peu.
Vit dans un hameau de douze habitants, sans commerce.
Fondateur du festival de jazz de la ville, il y passe ses étés.
Inventrice de la machine à trier les huîtres, elle a vendu son brevet.
Son accident a fait la une du journal régional.
Affaire très médiatisée, dont la patiente ne souhaite plus parler.
Tient la seule boulangerie du bourg, ouverte à quatre heures.
Il élève des autruches : c'est le plus gros éleveur du département.
Il n'y a qu'un luthier dans la commune, et c'est lui.
Campanologue : aucun autre carillonneur dans le pays ne peut le remplacer.
Sa famille est la seule du village d'origine islandaise.
Unique Islandais de la commune, il parle peu français.
Première patiente greffée des deux mains en France, elle revient chaque année.
On recense moins de dix porteurs de cette mutation dans le monde.
Une douzaine de familles atteintes en Europe, dont celle de ce patient.
Il est l'un des derniers à parler ce dialecte dans la vallée.
Curé de la paroisse depuis trente ans, il marche beaucoup.
Meilleur ouvrier de France en coutellerie, il a cessé de forger.
Détentrice du record de France d'apnée, elle a plongé jusqu'en mai.
Élue Miss Vendée dans sa jeunesse, elle en parle volontiers.
Benjamine du conseil municipal, elle craint que cela se sache.
Il est le seul homme dans une promotion de quarante sages-femmes.
Unique héritier du château, il y vit sans chauffage.
Dernier mineur du bassin minier encore en vie, il est sous oxygène.
L'une des deux premières femmes pompiers du département, retraitée depuis peu.
Premier Français à avoir traversé l'Atlantique à la rame, il refuse le fauteuil.
La seule souffleuse de verre que compte la Corrèze ne peut plus serrer la main.
Il est connu de tout le canton pour ses imitations d'oiseaux.
Le stade municipal porte son nom depuis l'an dernier.
Sonneur de cloches, le seul encore en activité dans le pays bigouden.
Otage de la prise d'otages de la bijouterie, il évite les lieux fermés.
Personne d'autre n'exerce ce métier dans le département, dit-elle.
""".splitlines()

# These were composed afterwards, many without a word of uniqueness: 21 were found before any was mended.
COMPOSED_LATER = """\
Retraité, il fut horloger de la cathédrale, charge qu'il était le dernier à tenir.
Le patient est l'unique tonnelier de l'arrière-pays.
Elle exerce comme taxidermiste, la seule de tout le département.
Mme tient le seul commerce du village et craint de devoir fermer.
Dans sa commune de cinquante-deux habitants, tout se sait.
Il est le plus jeune des trois derniers sabotiers du pays.
Une seule autre famille porte cette mutation en Europe.
Monsieur a été le premier greffé du visage de la région.
Elle est la première Tahitienne admise dans ce corps d'armée.
Ancien président du conseil général, il ne souhaite pas être vu en salle d'attente.
A gagné deux médailles aux Jeux paralympiques.
On lui doit le pont qui porte son nom à l'entrée de la ville.
Sa photo était dans tous les journaux après l'effondrement de la tribune.
Le seul rescapé de sa cordée.
Veuve de l'ancien maire du bourg.
Le patient est évêque du diocèse.
Fils du pharmacien assassiné il y a deux ans sur la place du village.
Elle est la plus âgée des religieuses du couvent.
Six personnes en France vivent avec ce déficit.
Il est berger, et ils ne sont plus que deux dans toute la vallée.
C'est la seule femme bourrelière que nous connaissions en Normandie.
Homme politique connu, à ne pas nommer dans le courrier.
Jockey le plus titré de sa génération.
Dernier combattant de cette guerre encore vivant dans le canton.
Le patient est unijambiste et fut champion cycliste, nul autre dans la région.
Il est le seul fromager à fabriquer ce bleu.
Meneuse de revue dans un cabaret parisien, en haut de l'affiche pendant vingt ans.
Maître d'hôtel du dernier ministre.
Triplées dont les deux sœurs sont décédées, la naissance avait été filmée par la télévision.
Centenaire : la doyenne des Côtes-d'Armor selon la presse.
Premier enfant né au village depuis quarante ans.
L'unique boulanger de l'île a été opéré de la main.
Capitaine du bateau qui a coulé au large l'hiver dernier.
Guide de haute montagne, premier à avoir ouvert cette voie en solitaire.
Le patient a inventé un appareil de levage breveté.
Elle est l'une des très rares femmes scaphandrières du pays.
C'est le moniteur de parapente qui a survécu à une chute de trois cents mètres.
Propriétaire du château, dernier du nom.
Il n'existe que onze observations publiées dans le monde.
Seul Sri-Lankais de la ville, il tient l'épicerie.
Chanteuse d'un groupe à succès des années passées.
Ancien otage au Liban.
Le plus grand producteur d'ail du Tarn.
Il est le frère jumeau du député.
Gagnante d'un jeu télévisé très regardé.
Il a sauvé un enfant de la noyade et a été décoré par le préfet.
Patient transplanté cœur-poumons, plus longue survie connue en France.
La patiente est la directrice de l'école du village, seule enseignante.
Il est le seul descendant direct du peintre.
Fondatrice et unique membre de sa compagnie de marionnettes.
""".splitlines()

CARE = """\
Aucun autre cas dans la région axillaire.
Pas d'autre cas dans la famille.
Le dernier contrôle en ville est normal.
La première dose du vaccin a été faite en France.
C'est le seul traitement disponible en France dans cette indication.
Le dernier examen du secteur montre une régression.
Premier épisode de lombalgie, seul facteur retrouvé : le port de charges.
Dernière consultation de la semaine, la patiente est seule à domicile.
Vit seul à la maison, le dernier de ses enfants habite en ville.
Le seul nodule de la région lombaire mesure 8 mm.
La dernière côte est fracturée, la plus grande des lésions mesure 3 cm.
Le premier médecin consulté a prescrit un anti-inflammatoire.
Dernière infirmière passée à 8 heures, premier pansement propre.
C'est la plus importante des sténoses, dans le territoire de la sylvienne.
Première hospitalisation dans le service, dernière sortie le matin.
Un seul rein fonctionnel, unique artère rénale.
Deux cas de grippe dans le service, quatre personnes au domicile.
Trois enfants en bonne santé, le plus jeune a deux ans.
Il est le dernier de la fratrie, fils unique du second mariage.
La seule allergie connue est la pénicilline.
Premier accouchement à terme, dernier enfant né par césarienne.
Dernières règles il y a deux semaines, première grossesse.
Facteur de risque unique : le tabac.
Le seul médicament à avoir soulagé la patiente est la morphine.
Dernier scanner du plateau technique : pas de lésion.
La première patiente de la liste opératoire est reportée.
Dernière personne contactée : la fille, personne de confiance.
Le seul symptôme est une asthénie, le premier depuis l'hiver.
Le patient est le premier à passer au bloc demain.
La première chambre du couloir est libre.
Sa dernière chirurgie à l'étranger remonte à dix ans.
Le seul contraste est celui du dernier temps artériel.
La rate est l'unique organe dans la région concernée.
Première cause de handicap en France chez l'adulte jeune.
La maladie touche des milliers de patients dans le monde.
Une seule prise le soir, la dernière au coucher.
Dernier repas à midi, seul à table.
Le dernier passage de l'infirmière du secteur a eu lieu hier.
C'est le plus gros ganglion de la chaîne, le seul fixant.
Premier voyage en Afrique il y a un mois, dernière vaccination à jour.
La première intervention en France de ce type date de 1990.
Seule anomalie : une leucocytose en rapport avec la dernière chimiothérapie.
Le dernier bilan du laboratoire de ville est en attente.
Le seul antécédent du côté paternel est un diabète.
Il n'y a qu'un seul rein dans la loge droite.
Elle est seule dans la chambre, la dernière visite date d'hier.
Ils ne sont pas les seuls à être fiévreux dans la famille.
Port-à-cath : dernier rinçage en hôpital de jour.
Dernière consultation au centre de référence de la région.
Cure de chimiothérapie, la première du protocole, bien tolérée.
Le plus jeune frère a été vacciné, la plus âgée des sœurs est asthmatique.
Quadruple pontage, deux des trois premiers greffons sont perméables.
Premier rendez-vous dans le quartier, dernier métro.
La dernière IRM dans le monde réel du patient n'a pas été lue.
Seul en France depuis deux ans, il n'a pas de famille.
""".splitlines()


def warned(told: list[str]) -> int:
    return sum(bool(find_unique_people(LETTER.format(told=one))) for one in told)


def test_most_telling_letters_are_warned_of() -> None:
    assert len(TELLING) == len(COMPOSED_LATER) == 50
    assert warned(TELLING) == 50
    assert warned(COMPOSED_LATER) >= 38


@pytest.mark.parametrize(
    "told",
    ["Troisième cas décrit dans la littérature", "4e cas rapporté en France", "Aucun autre cas connu dans la région"],
)
def test_a_case_that_few_share_is_told_by_its_number(told: str) -> None:
    assert [told[start:end] for start, end in find_unique_people(f"{told}.")] == [told]


def test_the_passage_is_where_it_is_told() -> None:
    text = LETTER.format(told="Doyenne\ndu village, elle marche seule.")
    assert [text[start:end] for start, end in find_unique_people(text)] == ["Doyenne\ndu village"]


@pytest.mark.parametrize("words", CARE)
def test_words_of_care_are_none(words: str) -> None:
    assert find_unique_people(words) == []


def test_few_documents_of_the_corpus_are_warned_of() -> None:
    documents = load_corpus(Path(__file__).parents[3] / "corpus" / "train")
    assert sum(bool(find_unique_people(gold.document.text)) for gold in documents) <= 0.02 * len(documents)


@given(st.lists(st.sampled_from([*TELLING, *CARE, "\n", "\u0130œ\u200bﬁ ", "SEUL HABITANT DU HAMEAU"]), max_size=6))
def test_passages_are_apart_and_within_the_text(pieces: list[str]) -> None:
    text = " ".join(pieces)
    found = find_unique_people(text)
    assert [at for span in found for at in span] == sorted(at for span in found for at in span)
    assert all(0 <= start < end <= len(text) for start, end in found)

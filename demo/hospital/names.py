"""First names by generation and surnames, common, rare and invented."""

from __future__ import annotations

import random
from bisect import bisect
from dataclasses import dataclass
from functools import cache
from itertools import accumulate

from deid.reference.packaged import packaged_rows

GENERATIONS = ((1945, "n_1900_1945"), (1975, "n_1946_1975"), (2000, "n_1976_2000"), (9999, "n_2001_2022"))
ORIGIN_SHARE = 0.30
INVENTED_SHARE = 0.06
RARE_SHARE = 0.30
COMPOUND_SHARE = 0.07
PARTICLE_SHARE = 0.03

_HEADS = (
    "Bar", "Bel", "Bour", "Cast", "Chau", "Com", "Dau", "Desch", "Fau", "Gaud", "Grand", "Haut", "Jou", "Lam", "Mal",
    "Mont", "Pel", "Per", "Rab", "Ri", "Sau", "Tail", "Tré", "Vau", "Ver", "Brou", "Clar", "Esc", "Gri", "Pom",
)  # fmt: skip
_MIDDLES = ("", "", "e", "i", "an", "in", "ou", "er", "il", "au", "ar", "el")
_TAILS = (
    "bard", "cet", "chaud", "deau", "don", "fray", "gnac", "gnol", "laud", "lier", "mond", "nard", "neuil", "quet",
    "rand", "ret", "rieux", "rolle", "sac", "sseau", "teuil", "tier", "vaire", "villiers", "vrel", "zac",
)  # fmt: skip
_PARTICLES = ("de", "de", "de La", "du", "des", "d'", "Le", "La", "Van", "Van den", "von")
_HYPHENATED = (
    "Jean-Pierre", "Jean-Claude", "Jean-Luc", "Jean-Marie", "Marie-Thérèse", "Marie-Claude", "Anne-Marie",
    "Marie-Christine", "Pierre-Yves", "Marie-Laure", "Jean-François", "Anne-Sophie", "Jean-Baptiste", "Marc-Antoine",
)  # fmt: skip
# First names whose accents the civil registry dropped and everybody writes.
_ACCENTED = {
    "ANDRE": "André", "RENE": "René", "GERARD": "Gérard", "MICHELE": "Michèle", "HELENE": "Hélène", "CELINE": "Céline",
    "FREDERIC": "Frédéric", "STEPHANE": "Stéphane", "STEPHANIE": "Stéphanie", "SEBASTIEN": "Sébastien",
    "JEROME": "Jérôme", "THERESE": "Thérèse", "RAPHAEL": "Raphaël", "AURELIE": "Aurélie", "EMILIE": "Émilie",
    "ELODIE": "Élodie", "DESIRE": "Désiré", "HERVE": "Hervé", "JOSE": "José", "JOEL": "Joël", "MICKAEL": "Mickaël",
    "VERONIQUE": "Véronique", "GENEVIEVE": "Geneviève", "REGIS": "Régis", "REMI": "Rémi", "REMY": "Rémy",
}  # fmt: skip


class _Table:
    """Names with cumulated weights."""

    def __init__(self, weighted: list[tuple[str, float]]) -> None:
        self.names = [name for name, _ in weighted]
        self._sums = list(accumulate(weight for _, weight in weighted))

    def draw(self, rng: random.Random) -> str:
        return self.names[bisect(self._sums, rng.random() * self._sums[-1])]


@cache
def _surnames() -> tuple[_Table, tuple[str, ...]]:
    """Surnames weighted by the square root of their births, and the rare ones."""
    table = [(row["name"], int(row["births"])) for row in packaged_rows("surnames")]
    common = _Table([(name, births**0.5) for name, births in table if births >= 400])
    return common, tuple(name for name, births in table if births < 200)


@cache
def _registry() -> tuple[dict[str, str], ...]:
    return tuple(packaged_rows("first_names"))


@cache
def _first_names(sex: str, column: str) -> _Table:
    weighted = [
        (_cased(row["name"]), int(row[column]) ** 0.75)
        for row in _registry()
        if row["sex"] == sex and int(row[column]) > 40 and len(row["name"]) > 2
    ]
    return _Table(weighted)


def _cased(name: str) -> str:
    return _ACCENTED.get(name, name.title())


def origin(rng: random.Random) -> Origin | None:
    """The origin of a family, None for most."""
    if rng.random() >= ORIGIN_SHARE:
        return None
    return rng.choices(ORIGINS, [item.weight for item in ORIGINS])[0]


def first_name(rng: random.Random, sex: str, birth_year: int, family: Origin | None = None) -> str:
    """A first name that this sex and generation bears, of the family's origin three times out of four."""
    if family is not None and rng.random() < (0.85 if birth_year < 1985 else 0.55):
        return rng.choice(family.women if sex == "F" else family.men)
    if 1935 < birth_year < 1985 and rng.random() < 0.07:
        candidates = [name for name in _HYPHENATED if (name.startswith(("Marie", "Anne"))) == (sex == "F")]
        return rng.choice(candidates)
    column = next(column for last, column in GENERATIONS if birth_year <= last)
    return _first_names(sex, column).draw(rng)


def _simple_surname(rng: random.Random) -> str:
    common, rare = _surnames()
    draw = rng.random()
    if draw < INVENTED_SHARE:
        return rng.choice(_HEADS) + rng.choice(_MIDDLES) + rng.choice(_TAILS)
    if draw < INVENTED_SHARE + RARE_SHARE:
        return rng.choice(rare).title()
    return common.draw(rng).title()


def surname(rng: random.Random, family: Origin | None = None) -> str:
    """A family name in title case: plain, compound or with a particle."""
    if family is not None:
        return rng.choice(family.surnames)
    name = _simple_surname(rng)
    draw = rng.random()
    if draw < COMPOUND_SHARE:
        return name + rng.choice(("-", "-", " ")) + _simple_surname(rng)
    if draw < COMPOUND_SHARE + PARTICLE_SHARE:
        particle = rng.choice(_PARTICLES)
        if particle == "d'":
            return f"d'{name}" if name[0] in "AEIOUYÉÈ" else f"de {name}"
        return f"{particle} {name}"
    return name


# Names of families from elsewhere and from the regions, by origin: data.
@dataclass(frozen=True, slots=True)
class Origin:
    """Names of a family of this origin, and birth places of its elders.

    `births` lists (town, country) pairs; a country of "" is France.
    """

    weight: int
    women: tuple[str, ...]
    men: tuple[str, ...]
    surnames: tuple[str, ...]
    births: tuple[tuple[str, str], ...]
    country_code: str = ""


def origin_of(weight: int, women: str, men: str, surnames: str, births: str, code: str = "") -> Origin:
    """An origin from its data: first names apart by blanks ("_" is one within a name), the others by commas."""
    places = tuple(
        (town.strip(), country.strip()) for town, _, country in (b.partition("/") for b in births.split(","))
    )
    return Origin(
        weight,
        tuple(name.replace("_", " ") for name in women.split()),
        tuple(name.replace("_", " ") for name in men.split()),
        tuple(name.strip() for name in surnames.split(",")),
        places,
        code,
    )


ORIGINS: tuple[Origin, ...] = (
    origin_of(
        9,
        "Fatima Aïcha Khadija Yasmina Leïla Samira Nadia Zohra Malika Naïma Rachida Amina Houria Dalila Soraya Inès",
        "Mohamed Ahmed Karim Rachid Youssef Abdelkader Mustapha Omar Farid Nordine "
        "Hamid Saïd Bilal Mehdi Kamel Abdellah",
        "Benali, Boukhari, Haddad, Belkacem, Aït Ouali, Ben Youssef, El Amrani, "
        "Cherif, Mansouri, Bouzid, Ziani, Lahlou,"
        " Meziane, Ould Hamou, El Idrissi, Benhaddou, Guerroudj, Slimani, Rahmouni, Tazi, Oubella, Bensaïd, Kaddour",
        "Oran/Algérie, Tizi Ouzou/Algérie, Sétif/Algérie, Oujda/Maroc, Casablanca/Maroc, Agadir/Maroc, Sfax/Tunisie",
        "352",
    ),
    origin_of(
        5,
        "Maria Ana Fernanda Rosa Lurdes Teresa Conceição Graça Isabel Manuela Filomena Beatriz",
        "Manuel António José João Joaquim Carlos Fernando Paulo Rui Nuno Armando Tiago",
        "Da Silva, Ferreira, Dos Santos, Pereira, De Oliveira, Rodrigues, Gonçalves, Da Costa, Teixeira, Marques,"
        " Da Silva Ferreira, Lopes de Sousa, Carvalho, Esteves, Moreira da Cunha, Antunes",
        "Braga/Portugal, Viseu/Portugal, Guarda/Portugal, Leiria/Portugal, Chaves/Portugal",
        "139",
    ),
    origin_of(
        4,
        "Giulia Carmela Assunta Rosaria Concetta Francesca Lucia Antonella Silvana Ornella",
        "Giuseppe Salvatore Antonio Luigi Vincenzo Angelo Dino Oreste Matteo Renzo",
        "Ferrari, Bianchi, Di Gregorio, Esposito, Lo Presti, De Luca, Marchetti, Santoro, Zanetti, Dalla Rosa, Vitale,"
        " Pellegrini, Ciccone, Bortolussi",
        "Bergame/Italie, Agrigente/Italie, Udine/Italie, Gubbio/Italie, Turin/Italie",
        "127",
    ),
    origin_of(
        3,
        "Halina Jadwiga Stanisława Krystyna Ewa Danuta Wanda Zofia",
        "Stanisław Kazimierz Jerzy Czesław Zbigniew Edmund Marek Tadeusz",
        "Nowak, Kowalczyk, Wiśniewski, Wojciechowski, Szymański, Kaczmarek, Zieliński, Pawlak, Grzeskowiak, Jankowiak",
        "Poznan/Pologne, Lodz/Pologne, Katowice/Pologne, Cracovie/Pologne",
        "122",
    ),
    origin_of(
        4,
        "Awa Fatoumata Aminata Mariam Kadiatou Bintou Djeneba Rokhaya Coumba Adjoua",
        "Mamadou Ibrahima Ousmane Moussa Boubacar Amadou Issa Cheikh Sékou Kouamé",
        "Traoré, Diallo, Coulibaly, N'Diaye, Diarrassouba, Konaté, Sow, Ba, Camara, "
        "N'Guessan, Sissoko, Ouattara, Touré,"
        " Mbaye, Keïta, Kouassi-Brou, Sy, Fofana",
        "Kayes/Mali, Bamako/Mali, Saint-Louis/Sénégal, Abidjan/Côte d'Ivoire, Conakry/Guinée",
        "335",
    ),
    origin_of(
        2,
        "Ngozi Espérance Clarisse Béatrice Grâce Divine Odette Solange",
        "Célestin Dieudonné Fidèle Patrice Junior Roméo Hervé Blaise",
        "Mbemba, Nzouzi, Kabongo, Mukendi, Essomba, Nkoulou, Mavoungou, Tchuente, Ngo Bilong, Eyenga, Ilunga",
        "Kinshasa/République démocratique du Congo, Brazzaville/Congo, Douala/Cameroun, Yaoundé/Cameroun",
        "322",
    ),
    origin_of(
        3,
        "Ayşe Fatma Zeynep Emine Hatice Elif Gülsüm Sevgi",
        "Mehmet Mustafa Hasan Ali Ibrahim Hüseyin Osman Kemal",
        "Yılmaz, Kaya, Demir, Çelik, Şahin, Öztürk, Aydın, Arslan, Doğan, Koç, Karataş",
        "Sivas/Turquie, Konya/Turquie, Yozgat/Turquie, Erzurum/Turquie",
        "208",
    ),
    origin_of(
        3,
        "Thi Lan|Thi Hoa|Kim Chi|Thu Huong|Ngoc Anh|Mai|Linh|Phuong".replace(" ", "-").replace("|", " "),
        "Van Minh|Quoc Hung|Duc|Anh Tuan|Huu Loc|Thanh|Long|Bao".replace(" ", "-").replace("|", " "),
        "Nguyen, Tran, Pham, Le Van, Vo, Hoang, Huynh, Dang, Bui, Nguyen-Van, Phan",
        "Hué/Viêt Nam, Saïgon/Viêt Nam, Hanoï/Viêt Nam, Da Nang/Viêt Nam",
        "243",
    ),
    origin_of(
        2,
        "Mei-Ling Xiaoyan Hui Yan Lihua Jing Chanthavy Sokha",
        "Wei Jianguo Ming Zhihao Bounmy Sophal Vuthy Liang",
        "Zhang, Chen, Lin, Wang, Zheng, Huang, Chhim, Keo, Vongsavath, Ly, Xiong, Pen",
        "Wenzhou/Chine, Canton/Chine, Phnom Penh/Cambodge, Vientiane/Laos",
        "216",
    ),
    origin_of(
        2,
        "Vasantha Nirmala Sivaganga Lakshmi Thenmozhi Kavitha Malar",
        "Sivakumar Rajan Kandasamy Selvan Ravi Thavarasa Kumaran",
        "Rajaratnam, Tharmalingam, Selvarajah, Sivasubramaniam, Kanagaratnam, Ponnampalam, Thambirajah",
        "Jaffna/Sri Lanka, Pondichéry/Inde, Batticaloa/Sri Lanka",
        "235",
    ),
    origin_of(
        3,
        "Carmen Dolores Pilar Encarnación Montserrat Consuelo Rosario Luz Mercedes Josefa",
        "José Francisco Miguel Ángel Ramón Jesús Joaquín Rafael Emilio Andrés",
        "García, Martínez, Fernandez, López, Sánchez, Romero, Ruiz-Ortega, Navarro, Molina, Garcia y Vega, Quintana",
        "Lorca/Espagne, Alicante/Espagne, Almería/Espagne, Badajoz/Espagne",
        "134",
    ),
    origin_of(
        2,
        "Anahit Sona Araxie Svetlana Oksana Natalia Tatiana Nino",
        "Hovsep Garo Arsène Vartan Sergueï Andriy Dmytro Giorgi",
        "Terzian, Kapandjian, Sarkissian, Hagopian, Shevchenko, Kovalenko, Tsiklauri, Beridze, Volkov, Der Hovsepian",
        "Erevan/Arménie, Beyrouth/Liban, Kharkiv/Ukraine, Tbilissi/Géorgie",
        "252",
    ),
    origin_of(
        2,
        "Ioana Elena Mihaela Florica Ileana Dragana Vesna Jasmina",
        "Ion Adrian Tiberiu Gheorghe Marius Dragan Zoran Goran",
        "Popescu, Ionescu, Munteanu, Dumitru, Radu, Petrović, Jovanović, Marković, Stanciu, Vasilescu",
        "Iasi/Roumanie, Timisoara/Roumanie, Nis/Serbie, Cluj/Roumanie",
        "114",
    ),
    origin_of(
        6,
        "Soizic Nolwenn Gwenaëlle Maïwenn Rozenn Annick Bleuenn Enora Morgane",
        "Yann Goulven Erwan Tanguy Loïc Ronan Malo Gwénolé Corentin Hervé",
        "Le Bihan, Le Goff, Kerbrat, Le Gall, Guéganton, Quéméneur, Abgrall, Le Hir, "
        "Tanguy, Kervella, Morvan, L'Hostis,"
        " Penhoat, Le Du, Cozic, Bozec, Floc'h",
        "Morlaix/, Lannion/, Quimperlé/, Carhaix-Plouguer/",
    ),
    origin_of(
        3,
        "Marlyse Odile Huguette Elfriede Hilde Mathilde Liesel",
        "René Jean-Georges Dietmar Ernest Fritz Marcel Albert Raymond",
        "Weissgerber, Ziegler, Ostermann, Kuntz, Freyburger, Schmitt, Meyer-Bisch, Hoffstetter, Muller, Wurtz, Haas",
        "Sélestat/, Haguenau/, Colmar/, Saverne/",
    ),
    origin_of(
        2,
        "Vannina Santa Maria-Stella Lisandra Antoinette Letizia Dominique",
        "Ange-Toussaint Pasquale Ghjuvan Don-Jacques Dominique Ange Pierre-Paul",
        "Ferracci, Santoni, Leca, Casabianca, Mattei, Luciani, Graziani, Poggi, Giacobbi, Paoli",
        "Corte/, Bastia/, Sartène/, Calvi/",
    ),
    origin_of(
        2,
        "Maïtena Amaia Maialen Elorri Graxi Miren",
        "Peyo Xabi Beñat Mattin Battitte Iñaki",
        "Etcheverry, Irigoyen, Harambillet, Etxeberria, Goyheneche, d'Arcangues, Bidegaray, Iribarne",
        "Saint-Jean-de-Luz/, Mauléon-Licharre/, Hasparren/, Cambo-les-Bains/",
    ),
    origin_of(
        3,
        "Marie-Josèphe Gislaine Rose-Aimée Lyse-May Océane Yolaine Ketty Maëva",
        "Jimmy Wilfried Fritz Rosemond Eddy Jean-Hugues Dimitri Ludovic",
        "Hoareau, Payet, Grondin, Céleste-Marie, Élisabeth, Saint-Prix, Marie-Rose, "
        "Annonay, Sainte-Luce, Boyer, Jean-Baptiste,"
        " Lebon, Fontaine, Zamor",
        "Saint-Pierre/, Le Lamentin/, Basse-Terre/, Saint-Denis/",
    ),
    origin_of(
        2,
        "Ghislaine Hinano Vaimiti Heimata Waïa Teura",
        "Tehei Manuarii Jozué Wensley Heifara Teva",
        "Wamo, Hnaweongo, Teriitahi, Tuihani, Pinas, Amiemba, Poanoui, Maihota, Teuira",
        "Papeete/, Nouméa/, Maripasoula/, Lifou/",
    ),
    origin_of(
        2,
        "Rachel Esther Déborah Sarah Myriam Simone Ruth",
        "David Samuel Maurice Élie Simon Joseph Isaac",
        "Lévy, Cohen, Benhamou, Taïeb, Kaplan, Bloch, Zarka, Weil, Goldwirt, Toledano",
        "Tunis/Tunisie, Sousse/Tunisie, Paris/, Sfax/Tunisie",
        "351",
    ),
)

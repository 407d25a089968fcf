"""Patients who are rare in a draw and usual in a hospital: names of every origin, families, homes overseas and abroad.

Every sixteenth patient has the same profile, so that a small hospital has them all. Profiles and ties come after the
draw of people, and leave their pathologies, ages and sexes.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from deid.french.folding import fold_line
from demo.hospital import identifiers, names
from demo.hospital.model import Patient, Place, Relative
from demo.hospital.names import Origin, origin_of
from demo.hospital.people import REFERENCE_DAY, email_address
from demo.hospital.places import Country, former_names, homonyms, overseas
from demo.hospital.prose.dates import years_between

PER_TIE = 40  # patients for each pair of parent and child, of brothers or sisters, and of namesakes
CHILD = 20
PARENT_YEARS = (20, 45)
SIBLING_YEARS = 14
NICKNAME_SHARE = 0.6
ONE_LINE_SHARE = 0.5


def with_profiles(rng: random.Random, country: Country, patients: Sequence[Patient]) -> tuple[Patient, ...]:
    """Return the patients, each with the profile of its rank, then with the ties between some."""
    found = []
    for rank, patient in enumerate(patients):
        turn, slot = divmod(rank, len(PROFILES))
        found.append(PROFILES[slot](patient, _Draw(rng, country, turn)))
    tied = _with_ties(rng, found)
    return tuple(replace(one, nickname=_nickname(rng, one.first_names[0])) for one in tied)


@dataclass(frozen=True, slots=True)
class _Draw:
    """Source of a profile's draws; `turn` counts the patients who had this profile before."""

    rng: random.Random
    country: Country
    turn: int


Profile = Callable[[Patient, _Draw], Patient]


def _plain(patient: Patient, _: _Draw) -> Patient:
    return patient


# Names
# Rare names of the regions and of families from elsewhere: apostrophes, particles, double names, names of one letter.
_FRENCH = origin_of(
    1,
    "Sidonie Philomène Aurore Apolline Victoire Marie-Ange Rose Prune",
    "Évariste Théophile Gaëtan Barnabé Léonce Juste Parfait Fulgence",
    "d'Aubigny, de La Tour d'Auvergne, du Plessis-Bellière, L'Herbier, de Saint-Exupère, Petit, Lamour, Jeudi, Avril,"
    " Legrand-Blanc, des Essarts, d'Ys, O",
    "Issoudun/, Guéret/, Langres/",
)
_REGIONAL = origin_of(
    1,
    "Aziliz Klervi Maï Gwenn-Aël Maïtena Lisandra Nolwenn Amaia",
    "Goulc'han Loeiz Gildas Beñat Ghjuvan_Battista Don-Jacques Peyo Malo",
    "L'Helgouac'h, Floc'h, Le Du, L'Hostis, Etxeberria, d'Elbée, Pietri-Casanova, Goyhenetche, Kerc'hoaz, Ar Bihan",
    "Carhaix-Plouguer/, Mauléon-Licharre/, Sartène/",
)
_MAGHREB = origin_of(
    1,
    "Oum_Keltoum Aïcha Lalla_Meryem Nour Fatima-Zohra Khadija Yasmina Ghizlane",
    "Abd_El_Kader Si_Mohamed Mohamed-Amine M'hamed Abdelkrim Nour-Eddine Idir Larbi",
    "Aït Ouarab, El Fassi el Fihri, Ben Abdallah, M'Barek, Ould Ahmed, Sidi Moussa, Bou Saïd, El Kaïm, Aït-Ahmed",
    "Tizi Ouzou/Algérie, Béjaïa/Algérie, Blida/Algérie",
    "352",
)
_WEST_AFRICAN = origin_of(
    1,
    "N'Deye_Coumba Awa Adjoua Ya Mame_Diarra Fatoumata Akissi Bintou",
    "El_Hadj_Omar Cheikh_Tidiane Papa_Samba Kouakou_Ange Ousmane Sékou N'Golo Mamadou-Lamine",
    "N'Diaye, N'Guessan, M'Bow, Ba, Sy, Kouadio-Yao, Koné, N'Dri, Sow, Bâ Diop",
    "Thiès/Sénégal, Kaolack/Sénégal, Ziguinchor/Sénégal",
    "341",
)
_ANTILLEAN = origin_of(
    1,
    "Yolaine Rose-Aimée Marie-Josèphe Ketty Lucette Man_Ya Célimène Maryvonne",
    "Rosan Judes Elie-Joseph Jean-Yves Fritz Siméon Saint-Ange Raymond-Claude",
    "Jean-Louis, Marie-Joseph, Saint-Aimé, Sainte-Rose, Zozor, Ursulet, Pierre-Louis, Rose-Adélaïde, L'Étang",
    "Le Lamentin/, Basse-Terre/, Pointe-à-Pitre/, Fort-de-France/",
)
_SOUTH_EAST_ASIAN = origin_of(
    1,
    "Thi_Kim_Lan Thi_Hoa Y Bich_Ngoc Thuy_Linh Sophea Chanthavy Ngoc_Anh",
    "Van_Minh Quoc_Hung Xuan_Dung A Huu_Phuoc Sokha Anh_Tuan Bounmy",
    "Nguyen, Nguyen Phuoc, Tran, Le, Ly, O, Ung, Vo Van, Ho, Sok, Phommachanh, Y",
    "Hué/Viêt Nam, Da Nang/Viêt Nam, Haïphong/Viêt Nam",
    "243",
)
_IBERIAN = origin_of(
    1,
    "Maria_da_Graça Conceição Ana_Rita Inês Maria_de_Fátima Dores Lurdes Luz",
    "José_Manuel João Luís_Filipe António Joaquim Rui_Pedro Adelino Nuno",
    "dos Santos e Silva, da Conceição, de Sá, Lopes d'Almeida, Dos Reis, da Cruz, Peixoto, do Ó, De Oliveira, Sá",
    "Braga/Portugal, Viseu/Portugal, Faro/Portugal",
    "139",
)
_TURKISH = origin_of(
    1,
    "Gülşen Ayşegül Sevgi Hatice Songül Elif Nur Döndü",
    "İbrahim Çetin Hüseyin Ömer Şükrü Işık Mehmet_Ali Uğur",
    "Öztürk, Çağlayan, Kılıç, Yıldız, Şahin, Kocabıyık, Uç, Demirtaş, Ağaoğlu",
    "Konya/Turquie, Sivas/Turquie, Kayseri/Turquie",
    "208",
)
_EASTERN = origin_of(
    1,
    "Małgorzata Oleksandra Żaneta Jadwiga Danica Wiesława Ljubica Zofia",
    "Zdzisław Đorđe Grzegorz Volodymyr Wacław Vukašin Łukasz Bogdan",
    "Šimić, Wójcik, Szczepański, Đorđević, Tymoshenko-Kovalenko, Łęcki, Krstić, Brzęczyszczykiewicz",
    "Poznan/Pologne, Cracovie/Pologne, Lodz/Pologne",
    "122",
)
_TAMIL = origin_of(
    1,
    "Sivaganga Thenmozhi Vasantha Lakshmi Nirmala Malarvizhi",
    "Sivakumar Thavarasa Kandasamy Selvan Rajan Kumaran",
    "Sivasubramaniam, Tharmalingam, Kanagaratnam, Selvarajah, Ponnampalam",
    "Jaffna/Sri Lanka, Batticaloa/Sri Lanka",
    "235",
)
_POLYNESIAN = origin_of(
    1,
    "Hinano Vaimiti Teura Tiare_Maeva Heimata Poema",
    "Tehei Manuarii Teva Heifara Tamatoa Teiki",
    "Teriitahi, Tehahe, Tuihaa, Maihota, A Hoi, Teriierooiterai, Pa",
    "Papeete/, Uturoa/",
)
_COMORIAN = origin_of(
    1,
    "Zaïnaba Moinaécha Echata Halima Faouzia Anrafati",
    "Saïd_Ali Abdou Attoumani Bacar Madi Ahamada",
    "M'Colo, Madi Ali, Saïd Abdou, Combo, Attoumani, M'Changama, Mze Hamadi, Bacar",
    "Mamoudzou/, Sada/, Dzaoudzi/",
)
_GUYANESE = origin_of(
    1,
    "Akouba Marie-Flore Yolande Ma_Wè Odile Jacqueline",
    "Abakamofou Serge Apayawé Jean-Aubéric Tolomba Hervé",
    "Pinas, Amiemba, Toko, Kouyouri, Jean-Jacques, A Kouï, Ho-Sam-Sooi",
    "Maripasoula/, Cayenne/, Mana/",
)
_REUNION = origin_of(
    1,
    "Marie-Hélène Gislaine Lyse-May Marie_Claudette Ginette Françoise-May",
    "Jean-Hugues Jimmy Expédit Wilfrid Jean_Bernard Ti-Jean",
    "Hoareau, Payet, Grondin, Céleste-Marie, Vingadassamy, Ah-Kane, Mangalon, Fontaine, Log",
    "Saint-Pierre/, Le Tampon/, Saint-Paul/",
)
ORIGINS = (
    _FRENCH, _REGIONAL, _MAGHREB, _WEST_AFRICAN, _ANTILLEAN, _SOUTH_EAST_ASIAN, _IBERIAN, _TURKISH, _TAMIL, _POLYNESIAN,
    _EASTERN,
)  # fmt: skip
# Of these origins the surname is written first.
SURNAME_FIRST = (_SOUTH_EAST_ASIAN, _POLYNESIAN)
# Origins of the pairs of one name, one after the other.
_FAMILIES = (_WEST_AFRICAN, _FRENCH, _REGIONAL, _MAGHREB, _ANTILLEAN, _SOUTH_EAST_ASIAN, _EASTERN, _IBERIAN)

# First names that women and men bear, of the elder and of the younger.
_EPICENE = (
    ("Dominique", "Claude", "Camille", "Ange", "Hyacinthe", "Stéphane", "Yaël"),
    ("Camille", "Sacha", "Alix", "Lou", "Charlie", "Morgan", "Maxime", "Eden", "Noa", "Gwenn", "Swann"),
)
_YOUNG = 1980
_NICKNAMES = {
    "andre": "Dédé", "gerard": "Gégé", "robert": "Bébert", "albert": "Bébert", "mohamed": "Momo", "maurice": "Momo",
    "michel": "Mimi", "marcel": "Cécel", "rene": "Néné", "bernard": "Nanard", "joseph": "Jojo", "georges": "Jojo",
    "jean": "Jeannot", "louis": "Loulou", "lucien": "Lulu", "pierre": "Pierrot", "jacques": "Jacky", "daniel": "Dany",
    "francois": "Fanfan", "christian": "Cricri", "philippe": "Phil", "alain": "Lanou", "patrick": "Pat",
    "dominique": "Domi", "claude": "Clo", "nicolas": "Nico", "sebastien": "Seb", "stephane": "Steph", "julien": "Juju",
    "guillaume": "Guigui", "alexandre": "Alex", "thomas": "Tom", "antoine": "Toinou", "manuel": "Manu",
    "jose": "Pépé", "antonio": "Toni", "jean-pierre": "Jean-Pi", "jean-claude": "J.-C.", "jean-baptiste": "Jean-Ba",
    "marie": "Mimi", "jeanne": "Jeannette", "madeleine": "Mado", "germaine": "Maine", "simone": "Momone",
    "monique": "Momo", "jacqueline": "Jacotte", "francoise": "Fanchon", "catherine": "Cathy", "nicole": "Nini",
    "christine": "Titine", "martine": "Titine", "sylvie": "Vivi", "brigitte": "Bri", "isabelle": "Isa",
    "nathalie": "Nath", "sandrine": "Sandy", "valerie": "Val", "veronique": "Véro", "elisabeth": "Babeth",
    "marie-therese": "Maïté", "anne-marie": "Nanou", "camille": "Cam", "fatima": "Fati", "khadija": "Khadi",
    "fatoumata": "Fatou", "aminata": "Ami", "maria": "Mia", "conceicao": "São", "carmen": "Carmencita",
    "stanislaw": "Staszek", "mamadou": "Mams", "ibrahima": "Ibou", "sacha": "Sach", "maxime": "Max", "charlie": "Cha",
}  # fmt: skip


def _nickname(rng: random.Random, first_name: str) -> str:
    """Return the name that relatives use of some patients, "" for the others."""
    found = _NICKNAMES.get(fold_line(first_name), "")
    return found if rng.random() < NICKNAME_SHARE else ""


def _of_origin(rng: random.Random, patient: Patient, family: Origin) -> Patient:
    """The patient and the relatives with names of an origin."""
    birth_name = rng.choice(family.surnames)
    last_name = birth_name if patient.last_name == patient.birth_name else rng.choice(family.surnames)
    pool = family.women if patient.sex == "F" else family.men
    firsts = tuple(rng.sample(pool, min(len(patient.first_names), 2)))
    taken, kin = set(firsts), []
    surnames = {patient.birth_name: birth_name, patient.last_name: last_name}
    for one in patient.relatives:
        if not one.role.startswith("voisin"):
            able = [name for name in (family.women if one.sex == "F" else family.men) if name not in taken]
            first = rng.choice(able) if able else one.first_name
            one = replace(one, first_name=first, last_name=surnames.get(one.last_name, one.last_name))
        taken.add(one.first_name)
        kin.append(one)
    traits = tuple(one for one in patient.traits if one != "surname_first")
    return _renamed(
        rng,
        replace(
            patient,
            last_name=last_name,
            birth_name=birth_name,
            first_names=firsts,
            relatives=tuple(kin),
            traits=(*traits, "surname_first") if family in SURNAME_FIRST else traits,
        ),
    )


def _renamed(rng: random.Random, patient: Patient) -> Patient:
    """The patient with an e-mail address made of the present name."""
    email = email_address(rng, patient.first_names[0], patient.last_name, patient.birth_date.year)
    return replace(patient, email=email)


def _born(rng: random.Random, patient: Patient, town: str, country: str, code: str) -> Patient:
    number = identifiers.nir(rng, patient.sex, patient.birth_date, code)
    return replace(patient, birth_place=town, birth_country=country, nir=number)


def _rare(slot: int) -> Profile:
    """The profile of a name of an origin, another at each turn; the elders are born there."""

    def profile(patient: Patient, draw: _Draw) -> Patient:
        family = ORIGINS[(draw.turn * RARE_PER_TURN + slot) % len(ORIGINS)]
        changed = _of_origin(draw.rng, patient, family)
        town, abroad = draw.rng.choice(family.births)
        if abroad and patient.birth_date.year < _YOUNG:
            return _born(draw.rng, changed, town, abroad, f"99{family.country_code}")
        return changed

    return profile


def _epicene(patient: Patient, draw: _Draw) -> Patient:
    """Give the patient a first name of both sexes, and the spouse another."""
    pool = _EPICENE[patient.birth_date.year > _YOUNG]
    first, other = draw.rng.sample(pool, 2)
    couple = ("épouse", "mari", "compagne", "compagnon")
    kin = tuple(replace(one, first_name=other) if one.role in couple else one for one in patient.relatives)
    return _renamed(draw.rng, replace(patient, first_names=(first, *patient.first_names[1:]), relatives=kin))


# Homes
_OVERSEAS = (
    ("974", _REUNION), ("971", _ANTILLEAN), ("976", _COMORIAN), ("973", _GUYANESE), ("972", _ANTILLEAN),
)  # fmt: skip
_OVERSEAS_STREETS = (
    "impasse des Géraniums", "chemin des Letchis", "rue des Flamboyants", "lotissement Les Alamandas", "rue Schœlcher",
    "chemin Bois-Rouge", "route de la Plaine", "allée des Cocotiers", "rue du Commerce", "impasse Vavangue",
    "rue de la Mosquée", "quartier Balata", "ruelle Frangipanier", "rue Lamartine",
)  # fmt: skip


def _from_overseas(patient: Patient, draw: _Draw) -> Patient:
    """A home in an overseas department, another at each turn, written on one line by half of the warehouse."""
    rng = draw.rng
    department, family = _OVERSEAS[draw.turn % len(_OVERSEAS)]
    places = overseas(department)
    home = rng.choices(places, [(place.population + 1) ** 0.5 for place in places])[0]
    birth = rng.choice(places)
    changed = _of_origin(rng, patient, family)
    one_line = ("one_line",) if rng.random() < ONE_LINE_SHARE else ()
    changed = replace(
        changed,
        place=home,
        address=f"{rng.randrange(1, 120)}{rng.choice(('', '', ' bis'))} {rng.choice(_OVERSEAS_STREETS)}",
        phone=identifiers.landline(rng, department),
        traits=(*changed.traits, "outremer", *one_line),
    )
    return _born(rng, changed, birth.name, "", birth.insee)


def _homonymous(patient: Patient, draw: _Draw) -> Patient:
    """A home in a commune whose name others bear."""
    home = draw.country.near_among(draw.rng, lambda place: place.name in homonyms())
    return replace(patient, place=home, traits=(*patient.traits, "homonyme"))


def _former(patient: Patient, draw: _Draw) -> Patient:
    """A home in a commune that no longer exists: its old name, with the code of the one that it is part of."""
    today = draw.country.near_among(draw.rng, lambda place: place.insee in former_names())
    former = former_names().get(today.insee)
    if not former:
        return patient
    return replace(
        patient, place=replace(today, name=draw.rng.choice(former)), traits=(*patient.traits, "commune_deleguee")
    )


@dataclass(frozen=True, slots=True)
class _Abroad:
    """Addresses of a country: forms of a street, and towns behind their postal codes."""

    country: str
    code: str
    streets: tuple[str, ...]
    towns: str


_FOREIGN = (
    _Abroad("Belgique", "99131", ("rue de la Station {}", "chaussée de Louvain {}, bte 3"), "6700 Arlon|7500 Tournai"),
    _Abroad("Suisse", "99140", ("rue du Marché {}", "chemin des Vignes {}"), "1204 Genève|1700 Fribourg"),
    _Abroad("Espagne", "99134", ("calle Mayor {}, 2o B", "avenida de la Paz {}"), "17600 Figueras|20301 Irun"),
    _Abroad(
        "Algérie", "99352", ("cité des 400 logements, bât. {}", "{} rue Larbi-Ben-M'hidi"), "31000 Oran|06000 Béjaïa"
    ),
    _Abroad("Italie", "99127", ("via Roma {}", "corso Garibaldi {}"), "12100 Coni|18039 Vintimille"),
    _Abroad("Luxembourg", "99137", ("{}, rue de Strasbourg",), "L-2560 Luxembourg|L-4010 Esch-sur-Alzette"),
    _Abroad("Portugal", "99139", ("rua do Souto {}", "rua de Camões {}, 3.º dto"), "4700-327 Braga|8000-081 Faro"),
    _Abroad("Maroc", "99350", ("{} rue Ibn-Sina", "lotissement Al Wahda, n° {}"), "60000 Oujda|80000 Agadir"),
)


def _abroad(patient: Patient, draw: _Draw) -> Patient:
    """A home abroad, in another country at each turn."""
    rng, there = draw.rng, _FOREIGN[draw.turn % len(_FOREIGN)]
    code, _, town = rng.choice(there.towns.split("|")).partition(" ")
    street = rng.choice(there.streets).format(rng.randrange(1, 90))
    home = Place(there.code, town, code, "99", 0, there.country)
    return replace(patient, place=home, address=street, traits=(*patient.traits, "etranger"))


def _on_one_line(patient: Patient, _: _Draw) -> Patient:
    """The warehouse has street, postal code and commune in one field."""
    return replace(patient, traits=(*patient.traits, "one_line"))


RARE_PER_TURN = 4
PROFILES: tuple[Profile, ...] = (
    _plain, _rare(0), _from_overseas, _epicene, _plain, _rare(1), _abroad, _plain, _homonymous, _rare(2), _epicene,
    _on_one_line, _plain, _former, _rare(3), _plain,
)  # fmt: skip


# Ties
_HOMES = {"outremer", "etranger", "homonyme", "commune_deleguee"}
Pair = tuple[Patient, Patient]


def _with_ties(rng: random.Random, patients: Sequence[Patient]) -> list[Patient]:
    """The patients, some of them parent and child, brothers, or namesakes without a tie."""
    found = {one.patient_id: one for one in patients}
    number = max(1, len(patients) // PER_TIE)
    # Who was born abroad keeps a name of that country.
    free = [one for one in patients if not (one.birth_country or _HOMES.intersection(one.traits))]
    rng.shuffle(free)
    for pairs, tie in ((_parents_and_children, _as_parent), (_brothers, _as_brothers), (_namesakes, _as_namesakes)):
        for turn, pair in enumerate(pairs(free)[:number]):
            family = _FAMILIES[turn % len(_FAMILIES)]
            one, other = (_of_origin(rng, each, family) for each in pair)
            found |= {tied.patient_id: tied for tied in tie(rng, one, other)}
            free = [left for left in free if left not in pair]
    return list(found.values())


def _parents_and_children(free: Sequence[Patient]) -> list[Pair]:
    """A parent, rather a father, for each child; nobody in two pairs."""
    pairs: list[Pair] = []
    for child in (one for one in free if _age(one) < CHILD):
        taken = {parent.patient_id for parent, _ in pairs}
        low, high = PARENT_YEARS
        able = [
            one
            for one in free
            if low <= years_between(one.birth_date, child.birth_date) <= high and one.patient_id not in taken
        ]
        if able:
            pairs.append((min(able, key=lambda one: one.sex != "M"), child))
    return pairs


def _brothers(free: Sequence[Patient]) -> list[Pair]:
    """Grown men whose ages are near, two by two."""
    men = sorted((one for one in free if one.sex == "M" and _age(one) >= CHILD), key=lambda one: one.birth_date)
    near = range(1, SIBLING_YEARS)
    pairs = zip(men[::2], men[1::2], strict=False)
    return [(one, other) for one, other in pairs if years_between(one.birth_date, other.birth_date) in near]


def _namesakes(free: Sequence[Patient]) -> list[Pair]:
    return list(zip(free[::2], free[1::2], strict=False))


def _age(patient: Patient) -> int:
    return years_between(patient.birth_date, REFERENCE_DAY)


def _as_parent(rng: random.Random, parent: Patient, child: Patient) -> Pair:
    """One household and one name."""
    child = _named(rng, child, parent.last_name)
    child = replace(child, place=parent.place, address=parent.address, phone=parent.phone)
    role = {"M": "père", "F": "mère"}[parent.sex]
    return _knowing(parent, {"M": "fils", "F": "fille"}[child.sex], child), _knowing(child, role, parent)


def _as_brothers(rng: random.Random, one: Patient, other: Patient) -> Pair:
    if one.first_names[0] == other.first_names[0]:
        other = replace(other, first_names=one.first_names[1:] or (names.first_name(rng, "M", other.birth_date.year),))
    other = _named(rng, other, one.birth_name)
    return _knowing(one, "frère", other), _knowing(other, "frère", one)


def _as_namesakes(rng: random.Random, one: Patient, other: Patient) -> Pair:
    """Two patients of one surname who do not know each other."""
    return one, _named(rng, other, one.last_name)


def _named(rng: random.Random, patient: Patient, surname: str) -> Patient:
    """The patient with a surname; those of the family who bore the old one bear it too."""
    kin = tuple(
        replace(one, last_name=surname)
        if one.last_name == patient.last_name and not one.role.startswith("voisin")
        else one
        for one in patient.relatives
    )
    birth_name = surname if patient.birth_name == patient.last_name else patient.birth_name
    return _renamed(rng, replace(patient, last_name=surname, birth_name=birth_name, relatives=kin))


def _knowing(patient: Patient, role: str, other: Patient) -> Patient:
    """The patient with another one as the relative of a role, in the place of one of that role."""
    known = Relative(
        role,
        other.first_names[0],
        other.last_name,
        other.sex,
        other.birth_date.year,
        other.place,
        other.mobile,
        other.occupation,
    )
    others = [one for one in patient.relatives if one.role != role and one.first_name != known.first_name]
    return replace(patient, relatives=(known, *others), traits=(*patient.traits, "parente"))

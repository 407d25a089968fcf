"""Towns outside the commune table: their part of the world, and public lists to draw from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cache

from deid.reference import Commune
from deid.reference.packaged import packaged_rows
from deid.reference.place_names import place_key

# What a commune of this module has in the stead of a department.
NOWHERE = "99"
_CODE = 5


class World(StrEnum):
    """Parts of the world that a surrogate town stays in: a fixed public partition, at least 64 towns in each."""

    EUROPE = "europe"
    MEDITERRANEAN = "mediterranean"  # Maghreb and Middle East
    AFRICA = "africa"
    ASIA = "asia"
    AMERICA = "america"  # Oceania with it
    FRANCE = "france"  # the overseas collectivities, which are in no department


# INSEE's codes of countries go by continent; these are taken out of theirs.
_MEDITERRANEAN = frozenset(
    "99201 99203 99204 99205 99206 99207 99208 99222 99240 99247 99248 99249 99250 99251 99252 99253 99255 99261 "
    "99301 99316 99350 99351 99352 99389".split()
)
_CONTINENTS = {
    "991": World.EUROPE, "992": World.ASIA, "993": World.AFRICA, "994": World.AMERICA, "995": World.AMERICA,
}  # fmt: skip
_CYPRUS = "99254"

# Towns that a French document may name, as it writes them: country code → towns.
_TOWNS = {
    # Europe
    "99109": "Munich, Hambourg, Francfort, Stuttgart, Leipzig, Dresde, Fribourg-en-Brisgau, Mannheim",
    "99110": "Innsbruck, Salzbourg, Graz, Linz",
    "99111": "Sofia, Plovdiv, Varna",
    "99112": "Budapest, Szeged, Debrecen",
    "99114": "Bucarest, Cluj-Napoca, Timisoara, Iasi, Craiova, Brasov",
    "99116": "Prague, Brno, Ostrava",
    "99117": "Bratislava, Kosice",
    "99118": "Sarajevo, Mostar",
    "99119": "Zagreb, Split, Rijeka",
    "99121": "Belgrade, Novi Sad",
    "99122": "Varsovie, Cracovie, Gdansk, Wroclaw, Poznan, Lublin, Lodz, Katowice",
    "99123": "Saint-Pétersbourg, Kazan, Samara, Rostov-sur-le-Don",
    "99125": "Tirana, Durrës",
    "99126": "Athènes, Thessalonique, Patras",
    "99127": "Turin, Milan, Naples, Palerme, Catane, Bergame, Vérone, Gênes, Bari",
    "99131": "Anvers, Gand, Namur, Charleroi, Courtrai",
    "99132": "Manchester, Birmingham, Leeds, Bristol, Glasgow, Édimbourg",
    "99134": "Barcelone, Séville, Saragosse, Malaga, Bilbao, Alicante, Pampelune",
    "99135": "Rotterdam, Utrecht, Eindhoven",
    "99136": "Dublin, Cork",
    "99139": "Lisbonne, Porto, Braga, Coimbra, Viseu, Aveiro, Faro, Setubal",
    "99140": "Genève, Lausanne, Bâle, Zurich, Lucerne",
    "99151": "Chisinau",
    "99155": "Kiev, Lviv, Odessa, Kharkiv",
    # Maghreb and Middle East
    "99203": "Bagdad, Mossoul, Bassorah, Erbil",
    "99204": "Téhéran, Ispahan, Chiraz, Tabriz, Mechhed",
    "99205": "Beyrouth, Saïda",
    "99206": "Damas, Alep, Homs, Lattaquié",
    "99208": "Istanbul, Ankara, Izmir, Bursa, Adana, Konya, Kayseri, Antalya, Gaziantep, Trabzon, Samsun",
    "99222": "Amman, Irbid",
    "99252": "Erevan, Gyumri",
    "99253": "Bakou",
    "99255": "Tbilissi, Koutaïssi, Batoumi",
    "99301": "Alexandrie, Port-Saïd, Assiout, Louxor",
    "99316": "Benghazi, Misrata",
    "99350": "Casablanca, Rabat, Fès, Meknès, Marrakech, Tanger, Agadir, Oujda, Kénitra, Tétouan, Safi, Nador, Taza",
    "99351": "Tunis, Sfax, Sousse, Kairouan, Bizerte, Gabès, Monastir, Gafsa, Médenine, Nabeul, Béja",
    "99352": "Alger, Oran, Constantine, Annaba, Sétif, Batna, Blida, Tlemcen, Béjaïa, Tizi Ouzou, Mostaganem, Biskra, "
    "Skikda, Sidi Bel Abbès, Mascara, Djelfa, Tébessa, Ghardaïa",
    # Africa south of the Sahara
    "99303": "Johannesbourg, Le Cap",
    "99312": "Kinshasa, Lubumbashi, Goma, Bukavu, Kisangani, Matadi",
    "99315": "Addis-Abeba, Dire Dawa",
    "99322": "Douala, Yaoundé, Bafoussam, Garoua, Maroua, Bamenda, Kribi",
    "99323": "Bangui, Bambari",
    "99324": "Brazzaville, Dolisie",
    "99326": "Abidjan, Bouaké, Daloa, Yamoussoukro, Korhogo, San-Pédro, Gagnoa, Man",
    "99327": "Cotonou, Porto-Novo, Parakou, Abomey",
    "99328": "Libreville, Port-Gentil, Franceville",
    "99329": "Accra, Kumasi, Tamale",
    "99330": "Conakry, Nzérékoré, Kankan, Kindia, Labé, Mamou",
    "99331": "Ouagadougou, Bobo-Dioulasso, Koudougou, Ouahigouya",
    "99332": "Nairobi, Mombasa, Kisumu",
    "99333": "Antananarivo, Toamasina, Antsirabe, Fianarantsoa, Mahajanga, Toliara, Antsiranana",
    "99335": "Bamako, Sikasso, Kayes, Mopti, Ségou, Gao",
    "99336": "Nouakchott, Nouadhibou, Kaédi",
    "99337": "Niamey, Zinder, Maradi, Agadez",
    "99338": "Ibadan, Kano, Abuja",
    "99339": "Kampala, Jinja",
    "99340": "Kigali, Butare",
    "99341": "Dakar, Thiès, Kaolack, Ziguinchor, Saint-Louis du Sénégal, Tambacounda, Touba, Louga",
    "99343": "Khartoum, Kassala",
    "99344": "N'Djamena, Moundou, Abéché",
    "99345": "Lomé, Sokodé, Kara, Kpalimé",
    "99390": "Curepipe, Vacoas",
    "99395": "Luanda, Huambo, Benguela",
    "99396": "Praia, Mindelo",
    "99397": "Moroni, Mutsamudu, Fomboni, Domoni",
    "99399": "Djibouti, Tadjourah",
    # Asia
    "99212": "Kaboul, Hérat, Kandahar, Mazar-e-Charif, Jalalabad",
    "99213": "Karachi, Lahore, Islamabad, Peshawar, Quetta, Multan",
    "99215": "Katmandou, Pokhara",
    "99216": "Pékin, Shanghai, Canton, Wenzhou, Wuhan, Chengdu, Nankin, Harbin, Tianjin",
    "99217": "Tokyo, Osaka, Kyoto, Nagoya",
    "99219": "Bangkok, Chiang Mai, Phuket",
    "99220": "Manille, Cebu, Davao",
    "99223": "Bombay, Delhi, Calcutta, Chennai, Bangalore, Pondichéry, Hyderabad, Jaipur",
    "99224": "Rangoun, Mandalay",
    "99227": "Kuala Lumpur, Penang",
    "99231": "Jakarta, Surabaya, Bandung",
    "99234": "Phnom Penh, Battambang, Siem Reap",
    "99235": "Colombo, Jaffna, Kandy, Galle, Trincomalee",
    "99236": "Taipei, Kaohsiung",
    "99239": "Séoul, Busan, Incheon",
    "99241": "Vientiane, Luang Prabang, Paksé, Savannakhet",
    "99243": "Hanoï, Hô-Chi-Minh-Ville, Hué, Da Nang, Haïphong, Can Tho, Nha Trang, Nam Dinh",
    "99246": "Dacca, Chittagong, Sylhet, Khulna",
    "99256": "Almaty, Astana",
    "99258": "Tachkent, Samarcande",
    # America and Oceania
    "99401": "Québec, Toronto, Vancouver, Ottawa, Halifax, Winnipeg, Moncton",
    "99404": "New York, Boston, Chicago, Houston, Los Angeles, Miami, Philadelphie, Seattle",
    "99405": "Mexico, Guadalajara, Puebla, Monterrey",
    "99407": "La Havane, Santiago de Cuba",
    "99408": "Saint-Domingue, Puerto Plata",
    "99409": "Guatemala, Quetzaltenango",
    "99410": "Port-au-Prince, Cap-Haïtien, Les Cayes, Gonaïves, Jacmel, Jérémie",
    "99415": "Buenos Aires, Rosario, Mendoza",
    "99416": "São Paulo, Rio de Janeiro, Belém, Recife, Salvador de Bahia, Fortaleza, Macapa, Belo Horizonte, Curitiba",
    "99417": "Santiago du Chili, Valparaiso, Concepcion",
    "99418": "La Paz, Cochabamba",
    "99419": "Bogota, Medellin, Cali, Carthagène des Indes",
    "99420": "Quito, Guayaquil",
    "99422": "Arequipa, Cuzco",
    "99423": "Montevideo",
    "99424": "Caracas, Maracaibo",
    "99426": "Kingston",
    "99428": "Georgetown",
    "99437": "Paramaribo, Albina",
    "99438": "Roseau",
    "99501": "Sydney, Melbourne, Brisbane, Perth, Adélaïde",
    "99502": "Auckland, Wellington",
    "99508": "Suva",
    "99514": "Port-Vila, Luganville",
}

# Towns that a French text means by a name that a small commune of France bears too: recognised, never drawn.
_HOMONYMS = {
    "99109": "Cologne",
    "99127": "Bologne",
    "99131": "Liège, Mons",
    "99135": "La Haye",
    "99140": "Berne, Neuchâtel, Fribourg",
    "99301": "Le Caire",
    "99324": "Pointe-Noire",
    "99338": "Lagos",
    "99401": "Montréal",
}


def world(country: str) -> World:
    """Return the part of the world of a country or collectivity, by its INSEE code ("99326", "987")."""
    if not country.startswith("99"):
        return World.FRANCE
    if country in _MEDITERRANEAN:
        return World.MEDITERRANEAN
    return World.EUROPE if country == _CYPRUS else _CONTINENTS.get(country[:3], World.AMERICA)


@cache
def towns() -> Mapping[World, Sequence[Commune]]:
    """Return the towns to draw from, uniformly, by part of the world; `region` is the country's code."""
    lists: dict[World, list[Commune]] = defaultdict(list)
    for country, named in _TOWNS.items():
        for name in named.split(", "):
            lists[world(country)].append(_town(country, f"{country} {place_key(name)}", name, ()))
    for row in packaged_rows("collectivities"):
        codes = tuple(row["zip"].split("|"))
        lists[World.FRANCE].append(_town(row["collectivity"], row["insee"], row["name"], codes))
    return {part: tuple(named) for part, named in lists.items()}


def _town(country: str, code: str, name: str, zips: tuple[str, ...]) -> Commune:
    return Commune(code, name, NOWHERE, country, zips, 0.0, 0.0, 0, {})


@cache
def _listed() -> Mapping[str, str]:
    """Return key → country of the towns to draw from; collectivities come last and win."""
    return {place_key(town.name): town.region for part in towns().values() for town in part}


@cache
def _meant() -> frozenset[str]:
    return frozenset(place_key(name) for named in _HOMONYMS.values() for name in named.split(", "))


@cache
def _known() -> Mapping[str, str]:
    """Return key → country of every known town abroad: in the open list, a homonym, or one to draw from."""
    homonyms = {place_key(name): country for country, named in _HOMONYMS.items() for name in named.split(", ")}
    return {**{row["name"]: row["country"] for row in packaged_rows("towns_abroad")}, **homonyms, **_listed()}


def country_of(name: str) -> str | None:
    """Return the code of the country of a town abroad, by the town's name in any language; None if it is unknown."""
    place = place_key(name)
    return _known().get(place) or (_known().get(place.replace(" ", "")) if "'" in name or "’" in name else None)


def is_listed(name: str) -> bool:
    """Return whether a name is of a town abroad to draw from, or of one with a namesake in France ("Liège")."""
    return place_key(name) in _listed() or is_meant(name)


def is_meant(name: str) -> bool:
    """Return whether a name alone means the town abroad rather than its namesake in France: "Montréal"."""
    return place_key(name) in _meant()


def collectivity_at(zip: str) -> str | None:
    """Return the overseas collectivity of a postal code; None for other codes."""
    served = next((town.region for town in towns()[World.FRANCE] if zip in town.zips), None)
    beginning = any(town.region == zip[:3] for town in towns()[World.FRANCE])
    return served or (zip[:3] if beginning and len(zip) == _CODE else None)

"""Names of families from elsewhere and from the regions, by origin: data."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Origin:
    """How a family of this origin is named, and where its elders were born.

    `births` lists (town, country) pairs; a country of "" is France.
    """

    weight: int
    women: tuple[str, ...]
    men: tuple[str, ...]
    surnames: tuple[str, ...]
    births: tuple[tuple[str, str], ...]
    country_code: str = ""


def _origin(weight: int, women: str, men: str, surnames: str, births: str, code: str = "") -> Origin:
    places = tuple(
        (town.strip(), country.strip()) for town, _, country in (b.partition("/") for b in births.split(","))
    )
    return Origin(
        weight,
        tuple(women.split()),
        tuple(men.split()),
        tuple(name.strip() for name in surnames.split(",")),
        places,
        code,
    )


ORIGINS: tuple[Origin, ...] = (
    _origin(
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
    _origin(
        5,
        "Maria Ana Fernanda Rosa Lurdes Teresa Conceição Graça Isabel Manuela Filomena Beatriz",
        "Manuel António José João Joaquim Carlos Fernando Paulo Rui Nuno Armando Tiago",
        "Da Silva, Ferreira, Dos Santos, Pereira, De Oliveira, Rodrigues, Gonçalves, Da Costa, Teixeira, Marques,"
        " Da Silva Ferreira, Lopes de Sousa, Carvalho, Esteves, Moreira da Cunha, Antunes",
        "Braga/Portugal, Viseu/Portugal, Guarda/Portugal, Leiria/Portugal, Chaves/Portugal",
        "139",
    ),
    _origin(
        4,
        "Giulia Carmela Assunta Rosaria Concetta Francesca Lucia Antonella Silvana Ornella",
        "Giuseppe Salvatore Antonio Luigi Vincenzo Angelo Dino Oreste Matteo Renzo",
        "Ferrari, Bianchi, Di Gregorio, Esposito, Lo Presti, De Luca, Marchetti, Santoro, Zanetti, Dalla Rosa, Vitale,"
        " Pellegrini, Ciccone, Bortolussi",
        "Bergame/Italie, Agrigente/Italie, Udine/Italie, Gubbio/Italie, Turin/Italie",
        "127",
    ),
    _origin(
        3,
        "Halina Jadwiga Stanisława Krystyna Ewa Danuta Wanda Zofia",
        "Stanisław Kazimierz Jerzy Czesław Zbigniew Edmund Marek Tadeusz",
        "Nowak, Kowalczyk, Wiśniewski, Wojciechowski, Szymański, Kaczmarek, Zieliński, Pawlak, Grzeskowiak, Jankowiak",
        "Poznan/Pologne, Lodz/Pologne, Katowice/Pologne, Cracovie/Pologne",
        "122",
    ),
    _origin(
        4,
        "Awa Fatoumata Aminata Mariam Kadiatou Bintou Djeneba Rokhaya Coumba Adjoua",
        "Mamadou Ibrahima Ousmane Moussa Boubacar Amadou Issa Cheikh Sékou Kouamé",
        "Traoré, Diallo, Coulibaly, N'Diaye, Diarrassouba, Konaté, Sow, Ba, Camara, "
        "N'Guessan, Sissoko, Ouattara, Touré,"
        " Mbaye, Keïta, Kouassi-Brou, Sy, Fofana",
        "Kayes/Mali, Bamako/Mali, Saint-Louis/Sénégal, Abidjan/Côte d'Ivoire, Conakry/Guinée",
        "335",
    ),
    _origin(
        2,
        "Ngozi Espérance Clarisse Béatrice Grâce Divine Odette Solange",
        "Célestin Dieudonné Fidèle Patrice Junior Roméo Hervé Blaise",
        "Mbemba, Nzouzi, Kabongo, Mukendi, Essomba, Nkoulou, Mavoungou, Tchuente, Ngo Bilong, Eyenga, Ilunga",
        "Kinshasa/République démocratique du Congo, Brazzaville/Congo, Douala/Cameroun, Yaoundé/Cameroun",
        "322",
    ),
    _origin(
        3,
        "Ayşe Fatma Zeynep Emine Hatice Elif Gülsüm Sevgi",
        "Mehmet Mustafa Hasan Ali Ibrahim Hüseyin Osman Kemal",
        "Yılmaz, Kaya, Demir, Çelik, Şahin, Öztürk, Aydın, Arslan, Doğan, Koç, Karataş",
        "Sivas/Turquie, Konya/Turquie, Yozgat/Turquie, Erzurum/Turquie",
        "208",
    ),
    _origin(
        3,
        "Thi Lan|Thi Hoa|Kim Chi|Thu Huong|Ngoc Anh|Mai|Linh|Phuong".replace(" ", "-").replace("|", " "),
        "Van Minh|Quoc Hung|Duc|Anh Tuan|Huu Loc|Thanh|Long|Bao".replace(" ", "-").replace("|", " "),
        "Nguyen, Tran, Pham, Le Van, Vo, Hoang, Huynh, Dang, Bui, Nguyen-Van, Phan",
        "Hué/Viêt Nam, Saïgon/Viêt Nam, Hanoï/Viêt Nam, Da Nang/Viêt Nam",
        "243",
    ),
    _origin(
        2,
        "Mei-Ling Xiaoyan Hui Yan Lihua Jing Chanthavy Sokha",
        "Wei Jianguo Ming Zhihao Bounmy Sophal Vuthy Liang",
        "Zhang, Chen, Lin, Wang, Zheng, Huang, Chhim, Keo, Vongsavath, Ly, Xiong, Pen",
        "Wenzhou/Chine, Canton/Chine, Phnom Penh/Cambodge, Vientiane/Laos",
        "216",
    ),
    _origin(
        2,
        "Vasantha Nirmala Sivaganga Lakshmi Thenmozhi Kavitha Malar",
        "Sivakumar Rajan Kandasamy Selvan Ravi Thavarasa Kumaran",
        "Rajaratnam, Tharmalingam, Selvarajah, Sivasubramaniam, Kanagaratnam, Ponnampalam, Thambirajah",
        "Jaffna/Sri Lanka, Pondichéry/Inde, Batticaloa/Sri Lanka",
        "235",
    ),
    _origin(
        3,
        "Carmen Dolores Pilar Encarnación Montserrat Consuelo Rosario Luz Mercedes Josefa",
        "José Francisco Miguel Ángel Ramón Jesús Joaquín Rafael Emilio Andrés",
        "García, Martínez, Fernandez, López, Sánchez, Romero, Ruiz-Ortega, Navarro, Molina, Garcia y Vega, Quintana",
        "Lorca/Espagne, Alicante/Espagne, Almería/Espagne, Badajoz/Espagne",
        "134",
    ),
    _origin(
        2,
        "Anahit Sona Araxie Svetlana Oksana Natalia Tatiana Nino",
        "Hovsep Garo Arsène Vartan Sergueï Andriy Dmytro Giorgi",
        "Terzian, Kapandjian, Sarkissian, Hagopian, Shevchenko, Kovalenko, Tsiklauri, Beridze, Volkov, Der Hovsepian",
        "Erevan/Arménie, Beyrouth/Liban, Kharkiv/Ukraine, Tbilissi/Géorgie",
        "252",
    ),
    _origin(
        2,
        "Ioana Elena Mihaela Florica Ileana Dragana Vesna Jasmina",
        "Ion Adrian Tiberiu Gheorghe Marius Dragan Zoran Goran",
        "Popescu, Ionescu, Munteanu, Dumitru, Radu, Petrović, Jovanović, Marković, Stanciu, Vasilescu",
        "Iasi/Roumanie, Timisoara/Roumanie, Nis/Serbie, Cluj/Roumanie",
        "114",
    ),
    _origin(
        6,
        "Soizic Nolwenn Gwenaëlle Maïwenn Rozenn Annick Bleuenn Enora Morgane",
        "Yann Goulven Erwan Tanguy Loïc Ronan Malo Gwénolé Corentin Hervé",
        "Le Bihan, Le Goff, Kerbrat, Le Gall, Guéganton, Quéméneur, Abgrall, Le Hir, "
        "Tanguy, Kervella, Morvan, L'Hostis,"
        " Penhoat, Le Du, Cozic, Bozec, Floc'h",
        "Morlaix/, Lannion/, Quimperlé/, Carhaix-Plouguer/",
    ),
    _origin(
        3,
        "Marlyse Odile Huguette Elfriede Hilde Mathilde Liesel",
        "René Jean-Georges Dietmar Ernest Fritz Marcel Albert Raymond",
        "Weissgerber, Ziegler, Ostermann, Kuntz, Freyburger, Schmitt, Meyer-Bisch, Hoffstetter, Muller, Wurtz, Haas",
        "Sélestat/, Haguenau/, Colmar/, Saverne/",
    ),
    _origin(
        2,
        "Vannina Santa Maria-Stella Lisandra Antoinette Letizia Dominique",
        "Ange-Toussaint Pasquale Ghjuvan Don-Jacques Dominique Ange Pierre-Paul",
        "Ferracci, Santoni, Leca, Casabianca, Mattei, Luciani, Graziani, Poggi, Giacobbi, Paoli",
        "Corte/, Bastia/, Sartène/, Calvi/",
    ),
    _origin(
        2,
        "Maïtena Amaia Maialen Elorri Graxi Miren",
        "Peyo Xabi Beñat Mattin Battitte Iñaki",
        "Etcheverry, Irigoyen, Harambillet, Etxeberria, Goyheneche, d'Arcangues, Bidegaray, Iribarne",
        "Saint-Jean-de-Luz/, Mauléon-Licharre/, Hasparren/, Cambo-les-Bains/",
    ),
    _origin(
        3,
        "Marie-Josèphe Gislaine Rose-Aimée Lyse-May Océane Yolaine Ketty Maëva",
        "Jimmy Wilfried Fritz Rosemond Eddy Jean-Hugues Dimitri Ludovic",
        "Hoareau, Payet, Grondin, Céleste-Marie, Élisabeth, Saint-Prix, Marie-Rose, "
        "Annonay, Sainte-Luce, Boyer, Jean-Baptiste,"
        " Lebon, Fontaine, Zamor",
        "Saint-Pierre/, Le Lamentin/, Basse-Terre/, Saint-Denis/",
    ),
    _origin(
        2,
        "Ghislaine Hinano Vaimiti Heimata Waïa Teura",
        "Tehei Manuarii Jozué Wensley Heifara Teva",
        "Wamo, Hnaweongo, Teriitahi, Tuihani, Pinas, Amiemba, Poanoui, Maihota, Teuira",
        "Papeete/, Nouméa/, Maripasoula/, Lifou/",
    ),
    _origin(
        2,
        "Rachel Esther Déborah Sarah Myriam Simone Ruth",
        "David Samuel Maurice Élie Simon Joseph Isaac",
        "Lévy, Cohen, Benhamou, Taïeb, Kaplan, Bloch, Zarka, Weil, Goldwirt, Toledano",
        "Tunis/Tunisie, Constantine/Algérie, Paris/, Marrakech/Maroc",
    ),
)

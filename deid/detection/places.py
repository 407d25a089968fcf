"""Places that no French register lists: cities abroad, and geography that is not a commune."""

from __future__ import annotations

FOREIGN_CITIES = tuple(
    """
    londres|birmingham|manchester|liverpool|glasgow|edimbourg|dublin|bruxelles|anvers|gand|bruges|liege|charleroi|namur|mons
    tournai|courtrai|mouscron|geneve|lausanne|zurich|bale|berne|fribourg|neuchatel|sion|montreux|lugano|luxembourg|monaco
    berlin|hambourg|munich|cologne|francfort|stuttgart|dusseldorf|leipzig|dresde|sarrebruck|heidelberg|kehl|fribourg en brisgau
    madrid|barcelone|valence|seville|saragosse|malaga|bilbao|saint sebastien|pampelune|grenade|cordoue|alicante|figueras
    lisbonne|porto|braga|coimbra|faro|viseu|guimaraes|evora|rome|milan|naples|turin|palerme|genes|bologne|florence|venise|savone
    verone|bari|catane|messine|trieste|vintimille|athenes|thessalonique|istanbul|ankara|izmir|bucarest|cluj|timisoara|iasi|sofia
    belgrade|zagreb|ljubljana|sarajevo|skopje|tirana|pristina|budapest|vienne autriche|salzbourg|prague|brno|bratislava|varsovie
    cracovie|lodz|gdansk|wroclaw|poznan|lublin|katowice|vilnius|riga|tallinn|helsinki|stockholm|oslo|bergen|copenhague|reykjavik
    amsterdam|rotterdam|la haye|utrecht|maastricht|moscou|saint petersbourg|kiev|kyiv|lviv|odessa|kharkiv|minsk|chisinau|tbilissi
    erevan|bakou|grozny|alger|oran|constantine|annaba|setif|batna|blida|tizi ouzou|bejaia|mostaganem|tlemcen|sidi bel abbes
    skikda|jijel|ghardaia|medea|rabat|casablanca|marrakech|fes|meknes|tanger|agadir|oujda|nador|tetouan|al hoceima|safi|kenitra
    tunis|sfax|sousse|bizerte|gabes|kairouan|djerba|zarzis|monastir|tripoli|benghazi|le caire|alexandrie|khartoum|dakar|thies
    saint louis du senegal|touba|ziguinchor|bamako|kayes|sikasso|segou|gao|tombouctou|conakry|kankan|abidjan|bouake|yamoussoukro
    korhogo|lome|cotonou|porto novo|ouagadougou|bobo dioulasso|niamey|n djamena|douala|yaounde|bafoussam|libreville|brazzaville
    pointe noire|kinshasa|lubumbashi|goma|bukavu|kisangani|bangui|kigali|bujumbura|nairobi|kampala|addis abeba|djibouti|asmara
    mogadiscio|lagos|abuja|accra|freetown|monrovia|nouakchott|praia|bissau|luanda|maputo|johannesburg|le cap|pretoria
    antananarivo|tananarive|tamatave|toamasina|majunga|mahajanga|diego suarez|antsiranana|fianarantsoa|moroni|mutsamudu|domoni
    port louis|curepipe|beyrouth|tripoli du liban|damas|alep|homs|bagdad|bassora|mossoul|erbil|teheran|ispahan|kaboul|herat
    jerusalem|tel aviv|haifa|gaza|amman|riyad|djeddah|dubai|abou dabi|doha|koweit|sanaa|karachi|lahore|islamabad|peshawar|delhi
    new delhi|bombay|mumbai|calcutta|madras|chennai|bangalore|pondichery|dacca|dhaka|sylhet|colombo|jaffna|katmandou|pekin
    shanghai|canton|wenzhou|hong kong|taipei|tokyo|osaka|kyoto|seoul|hanoi|saigon|ho chi minh ville|hue|haiphong|da nang
    phnom penh|battambang|vientiane|luang prabang|bangkok|phuket|kuala lumpur|singapour|jakarta|denpasar|manille|sydney|melbourne
    auckland|new york|boston|washington|chicago|miami|los angeles|san francisco|la nouvelle orleans|montreal|quebec|ottawa
    toronto|vancouver|mexico|la havane|port au prince|cap haitien|gonaives|jacmel|saint domingue|roseau|castries|paramaribo
    caracas|bogota|medellin|quito|guayaquil|lima|cuzco|la paz|santiago du chili|buenos aires|montevideo|asuncion|rio de janeiro
    sao paulo|brasilia|salvador de bahia|belem|macapa|oiapoque|georgetown
    """.replace("\n", "|").split("|")
)
FOREIGN_CITIES = tuple(filter(None, map(str.strip, FOREIGN_CITIES)))

GEOGRAPHY = tuple(
    """
    angleterre|ecosse|pays de galles|grande bretagne|royaume uni|etats unis|usa|hollande|pays bas|tchetchenie|kabylie|palestine
    kosovo|tahiti|moorea|bora bora|raiatea|huahine|nuku hiva|hiva oa|rangiroa|marquises|tuamotu|nouvelle caledonie|grande terre
    polynesie|polynesie francaise|wallis et futuna|wallis|futuna|antilles|metropole|mayotte|petite terre|la reunion
    guyane|guadeloupe|martinique|basse terre guadeloupe|marie galante|les saintes|la desirade|saint barthelemy|saint martin
    reunion|comores|anjouan|grande comore|moheli|quebec|catalogne|andalousie|galice|toscane|sicile|sardaigne|calabre|lombardie
    piemont|baviere|flandre|flandres|wallonie|acadie|californie|floride|indochine|tonkin|cochinchine|maghreb|sahel|sahara
    afrique|amerique|asie|europe|oceanie|amerique du sud|amerique latine|afrique du nord|proche orient|moyen orient|cap vert
    canaries|baleares|iles canaries|ile maurice|maurice|rodrigues|djerba|crete|corfou
    bearn|pays basque|gascogne|landes de gascogne|armagnac|quercy|rouergue|perigord|limousin|auvergne|velay|vivarais|cevennes
    causses|larzac|aubrac|margeride|gevaudan|forez|livradois|morvan|bresse|dombes|bugey|maconnais|charolais|beaujolais|lyonnais
    dauphine|trieves|vercors|chartreuse|belledonne|oisans|queyras|champsaur|devoluy|embrunais|ubaye|briancon nais|tarentaise
    maurienne|beaufortain|chablais|faucigny|savoie|haute savoie|luberon|camargue|crau|alpilles|esterel|maures|verdon|provence
    cote d azur|comtat venaissin|roussillon|cerdagne|vallespir|conflent|capcir|fenouilledes|corbieres|minervois|lauragais
    couserans|comminges|bigorre|soule|labourd|basse navarre|chalosse|medoc|entre deux mers|libournais|saintonge|aunis|poitou
    marais poitevin|vendee|anjou|touraine|sologne|berry|beauce|perche|maine|bocage|cotentin|pays de caux|pays d auge|pays de bray
    normandie|basse normandie|haute normandie|bretagne|cornouaille|leon|tregor|finistere|morbihan|pays bigouden
    monts d arree|picardie|thierache|artois|boulonnais|hainaut|cambresis|avesnois|flandre maritime|champagne|ardennes|argonne
    lorraine|alsace|vosges|sundgau|jura|franche comte|haut jura|haut doubs|bourgogne|nivernais|bourbonnais|combrailles|sancy
    cantal|cezallier|pyrenees|alpes|massif central|mediterranee|atlantique|la manche|ile de france|nord pas de calais|paca
    occitanie|aquitaine|nouvelle aquitaine|grand est|hauts de france|pays de la loire|rhone alpes|midi pyrenees|languedoc
    languedoc roussillon|poitou charentes|champagne ardenne|corse|corse du sud|haute corse|balagne|castagniccia|cap corse
    ile de re|ile d oleron|ile d yeu|ile de noirmoutier|belle ile|ile de groix|ile d ouessant|ouessant|groix|molene|ile de sein
    la loire|le rhone|la garonne|la dordogne|la seine|la saone|la meuse|la moselle|le rhin|le lot|l allier|l adour|l isere
    durance|garonne|le doubs|l ardeche|le maroni|maroni|oyapock|chartrons|croix rousse|la guillotiere|menilmontant|belleville
    montmartre|bastille|le panier|la belle de mai|capucins|bacalan|le mirail|les minguettes|wazemmes
    """.replace("\n", "|").split("|")
)
GEOGRAPHY = tuple(filter(None, map(str.strip, GEOGRAPHY)))

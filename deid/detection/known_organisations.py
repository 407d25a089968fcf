"""Organisations that people name without a head word: large hospitals by their nickname, companies, public bodies."""

from __future__ import annotations

HOSPITALS = (
    "albert chenevier|alexis vautrin|ambroise pare|antoine beclere|armand trousseau|arnaud de villeneuve|avicenne|"
    "baumettes|beaujon|begin|bellepierre|bergonie|bicetre|bichat|brabois|bretonneau|broussais|cavale blanche|"
    "charles foix|charles nicolle|charles perrens|claude huriez|cochin|croix rousse|delafontaine|desgenettes|"
    "edouard herriot|emile roux|estaing|felix guyon|femme mere enfant|fernand widal|fleury merogis|foch|"
    "fondation rothschild|fresnes|gabriel montpied|grange blanche|gui de chauliac|gustave roussy|haut leveque|"
    "hautepierre|hegp|henri ey|henri mondor|hfme|hopital europeen|hopital nord|hotel dieu|huriez|institut curie|"
    "iuct oncopole|jacques monod|jean minjoz|jean verdier|kremlin bicetre|l archet|la cavale blanche|"
    "la conception|la croix rousse|la meynard|la pitie|la pitie salpetriere|la timone|laennec|lapeyronie|"
    "lariboisiere|larrey|le vinatier|lenval|leon berard|les baumettes|louis mourier|lyon sud|maison blanche|"
    "marie lannelongue|medipole|necker|nouvel hopital civil|oncopole|oscar lambret|paoli calmettes|paul brousse|"
    "paul guiraud|pellegrin|percy|pitie salpetriere|pompidou|pontchaillou|purpan|quinze vingts|rangueil|"
    "raymond poincare|robert debre|roger salengro|rothschild|salengro|salpetriere|tenon|timone|trousseau|"
    "val de grace|vinatier"
).split("|")

COMPANIES = (
    "air france|airbus|aldi|alsthom|alstom|amazon|arcelor|arcelormittal|areva|auchan|berliet|bosch|bouygues|"
    "brittany ferries|carrefour|casino|charbonnages de france|citroen|cma cgm|cogema|continental|cora|"
    "corsica linea|danone|dassault|dcns|decathlon|dhl|duralex|edf|eiffage|elf|enedis|engie|faurecia|foncia|"
    "framatome|franprix|gdf|geodis|houilleres|hyper u|ikea|intermarche|keolis|la poste|lactalis|leclerc|lidl|"
    "match|mcdonald s|michelin|monoprix|moulinex|naval group|nestle|nexans|onet|orange|orano|pechiney|peugeot|"
    "quick|ratp|renault|renault trucks|rhodia|rhone poulenc|safran|saint gobain|sanofi|simca|sncf|sollac|solvay|"
    "stellantis|suez|super u|thales|toyota|transdev|uber|ups|usinor|valeo|veolia|vinci|xpo"
).split("|")

BODIES = (
    "afm telethon|ag2r|agence de la biomedecine|aides|allianz|ap hm|ap hp|apf|aphp|atd quart monde|axa|biogroup|"
    "biomnis|camieg|cerballiance|cimade|cnda|cnrs|croix rouge|education nationale|efs|emmaus|enim|eortc|"
    "etablissement francais du sang|eurofins|europ assistance|eurotransplant|france terre d asile|france travail|"
    "gmf|groupama|harmonie mutuelle|hcl|hospices civils de lyon|inovie|insee|inserm|ircem|isis medical|jalmalv|"
    "la cimade|la croix rouge|les restos du coeur|lmde|lvl|maaf|macif|maif|malakoff humanis|matmut|"
    "medecins du monde|medecins sans frontieres|mgen|mma|mnh|mondial assistance|mutuaide|ofii|ofpra|orkyn|"
    "pole emploi|pro btp|restos du coeur|secours catholique|secours populaire|smerep|snsm|sos medecins|synlab|"
    "udaf|unapei|vitalaire"
).split("|")

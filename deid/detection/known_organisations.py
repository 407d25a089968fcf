"""Organisations that people name without a head word: large hospitals by their nickname, companies, public bodies."""

from __future__ import annotations

HOSPITALS = (
    "bichat|beaujon|lariboisiere|fernand widal|cochin|necker|tenon|rothschild|la pitie|pitie salpetriere|la pitie salpetriere|"
    "salpetriere|bicetre|kremlin bicetre|antoine beclere|ambroise pare|raymond poincare|louis mourier|avicenne|jean verdier|"
    "delafontaine|henri mondor|albert chenevier|hegp|pompidou|robert debre|armand trousseau|trousseau|bretonneau|broussais|"
    "hotel dieu|lapeyronie|gui de chauliac|arnaud de villeneuve|purpan|rangueil|larrey|hautepierre|haut leveque|pellegrin|"
    "la timone|timone|la conception|l archet|lenval|edouard herriot|lyon sud|hfme|femme mere enfant|desgenettes|leon berard|"
    "gustave roussy|institut curie|bergonie|oscar lambret|roger salengro|salengro|claude huriez|huriez|la cavale blanche|"
    "cavale blanche|pontchaillou|laennec|foch|percy|val de grace|begin|quinze vingts|les baumettes|baumettes|fresnes|"
    "fleury merogis|alexis vautrin|paoli calmettes|marie lannelongue|brabois|nouvel hopital civil|jean minjoz|charles nicolle|"
    "le vinatier|vinatier|paul brousse|paul guiraud|henri ey|maison blanche|charles foix|emile roux|charles perrens|"
    "bellepierre|felix guyon|la meynard|hopital nord|hopital europeen|iuct oncopole|oncopole|medipole|fondation rothschild|"
    "jacques monod|estaing|gabriel montpied|grange blanche|la croix rousse|croix rousse"
).split("|")

COMPANIES = (
    "renault|renault trucks|peugeot|psa|citroen|michelin|airbus|carrefour|leclerc|auchan|super u|hyper u|intermarche|lidl|aldi|"
    "franprix|monoprix|casino|match|cora|sncf|ratp|edf|gdf|engie|enedis|la poste|orange|sanofi|arcelormittal|arcelor|sollac|"
    "usinor|alsthom|alstom|thales|bosch|nestle|danone|lactalis|faurecia|valeo|continental|toyota|stellantis|bouygues|vinci|"
    "eiffage|onet|veolia|suez|keolis|transdev|geodis|dhl|ups|amazon|xpo|cma cgm|brittany ferries|air france|corsica linea|"
    "safran|dassault|naval group|dcns|areva|orano|framatome|cogema|charbonnages de france|houilleres|berliet|simca|moulinex|"
    "duralex|nexans|saint gobain|pechiney|rhodia|rhone poulenc|solvay|elf|decathlon|ikea|foncia|mcdonald s|quick|uber"
).split("|")

BODIES = (
    "croix rouge|la croix rouge|secours catholique|secours populaire|restos du coeur|les restos du coeur|emmaus|atd quart monde|"
    "medecins du monde|medecins sans frontieres|sos medecins|france terre d asile|cimade|la cimade|udaf|unapei|apf|afm telethon|"
    "aides|ofii|ofpra|cnda|inserm|cnrs|insee|eurotransplant|eortc|agence de la biomedecine|efs|etablissement francais du sang|"
    "ap hp|ap hm|aphp|hcl|hospices civils de lyon|snsm|pole emploi|france travail|education nationale|groupama|maif|macif|matmut|"
    "maaf|mma|axa|allianz|gmf|mgen|lmde|smerep|enim|camieg|mnh|harmonie mutuelle|malakoff humanis|ag2r|pro btp|ircem|europ assistance|"
    "mondial assistance|mutuaide|jalmalv|cerballiance|biogroup|synlab|inovie|eurofins|biomnis|lvl|vitalaire|orkyn|isis medical"
).split("|")

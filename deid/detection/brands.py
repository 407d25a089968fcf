"""Brands that hospital documents name: implants, devices, dressings, software, cars, goods; words of names, folded.

Written by hand from what French wards, theatres and life stories mention. A brand is no evidence against a name; it
only leaves the recall knob unturned for it, and not even that where the word is a surname or first name too: there
are people called Maquet (`deid.detection.averaging`).
"""

from __future__ import annotations

BRANDS = frozenset(
    """
    abbott abiomed acuson acuvue adapta aircast airfluidised airsense airvo alaris alcon allergan allevyn amplatzer
    amvisc angioseal anspach aquacel arjo arthrex artis ascensia assura atos avance avea axium azure
    bard barco bausch baxter beckman bellavista bennett biatain biofinity biogel biolox biomet biomerieux
    biosense biotronik bravo braun briggs brilliance brivo bronkhorst butterfly
    cadd caire calcicare cardiohelp cardiosave carescape carpentier cavilon cepheid chattanooga cingal cobas cochlear
    codman coloplast comfeel contour convatec cook corail corevalve cordis coulter covidien crosser cusa
    cypher cytoguard dafilon datascope davinci delphi delta dentsply dexcom digitrapper dornier doro dermabond
    draeger drager dyson duoderm dynesys ecmo echelon edwards elekta embosphere emerald endocross endologix endopath
    endo epiq ergotron ethicon ethilon evita evolut exactech fabius falcon fenwal finesse fitbit flexima
    flocare freestyle freezor fresenius fujifilm gambro garmin genexpert getinge gore greenfield guardian guedel guidant
    haemonetics haes hamilton harmonic heartmate heartware hillrom hologic hologram hoya hudson icare impella
    inomax inspiron instylan integra intellis intellivue intrepid invacare invivo isonic ivac jobst joystar kangaroo
    kendall kimal kinetec knaack kolmi kuschall lansinoh laryngovac leica lifepak lifescan ligaclip ligasure
    linx lifeport luer lumify mahurkar mallinckrodt mammomat maquet masimo maxima medela medex medtronic mefix melolin
    menicon mepilex mepitel micra microlife microport mindray minimed minicap mizuho molift monocryl monosyn mullins
    nellcor neuropace nexgen nexiva nidek nihon nikon nutricia nutrison nutridrink novafil novopen olympus omnifit
    omnipod omron onetouch optiflow optive orbera orbital organox ormco orthofix osmette ottobock pari paradigm
    perfusor peristeen permobil philips piccoline pixel polysite portex prevena prodigy proglide prolene
    promus pronova protaper puritan quadrox quickie quinton radiometer redon relistor resmed resolute respironics resq
    reveal rhapsody roche rotablator rotarex sapien savina schiller segufix sensei serena servo shiley siemens sigma
    signia silastic simplicity simpro smartpill solitaire somatom sonosite sonoscape sonicare sorin
    spacelabs spectranetics speedicath stellant stericlin sterrad stimulan storz straumann stryker suresigns surgicel
    surgiflo surpass synchromed synthes taperloc taxus tegaderm tempus terumo thopaz titan toshiba tracoe transonic
    trilogy triathlon trident truebeam ultraflex unomedical urgo urgotul vacutainer vagus varian varilux velcade vercise
    versajet vicryl virtue vitatron vitros vivid vyaire vyon vygon welch whitestar xeleris xience xltek zeiss
    zimmer zoll zenith zephyr
    orbis crossway sillage hopital easily dxcare clinicom cariatides medimust mediboard osiris axisante weda hellodoc
    doctolib mondocteur dragon sharepoint windows excel outlook teams zoom skype whatsapp facebook instagram tiktok
    google android iphone ipad samsung huawei xiaomi nokia
    clio twingo megane scenic kangoo laguna espace trafic master captur kadjar duster sandero logan dokker zoe berlingo
    picasso xsara jumper partner boxer kadett corsa astra zafira vectra meriva polo golf passat touran tiguan fiesta
    focus mondeo transit panda punto ducato doblo yaris corolla auris micra juke qashqai vespa solex mobylette kawasaki
    yamaha suzuki honda harley ducati piaggio derbi renault peugeot citroen dacia opel volkswagen audi bmw mercedes
    toyota nissan hyundai kia skoda tesla volvo
    stihl husqvarna karcher bosch makita dewalt hilti festool moulinex rowenta tefal thermomix cocotte roomba
    playmobil lego barbie nutella danone evian vittel vichy badoit hepar contrex perrier coca ricard pastis heineken
    marlboro gauloises gitanes camel smirnoff javel destop roundup tena molicare pampers huggies galia bledina
    gallia guigoz nidal modilac novalac picot gerble fortimel fresubin clinutren renutryl delical
    velib decathlon quechua nespresso senseo scrabble monopoly rummikub netflix playstation nintendo xbox
    """.split()
)

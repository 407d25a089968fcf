"""Origin of a name, told from its letters: a table of examples written for this product, and a model trained on it.

No public register counts origins; the model only serves to draw a surrogate among names that read alike. Its classes
are languages that names come from, never facts about a person.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import log, log10
from types import MappingProxyType

FRENCH = "french"
# Words of surnames, then first names of women and of men, in small letters without accents.
_EXAMPLES: Mapping[str, str] = MappingProxyType(
    {
        "breton": """
le goff legoff legall gall bihan lebihan kervella kerbrat quemener quemeneur abgrall abiven cozic bozec floch floch
cloarec clech guillou guivarch guillerm jezequel kerjean kerleau kermarrec kerneis kerveillant lagadec lebras lecorre
ledu lehir leroux lescop madec mevel morvan morvezen penven pennec prigent quere quilliec riou rivoal rozec salaun
tanguy tromeur troadec trevidic corre cadiou caradec calvez cueff guegan gueguen hascoet jaouen kergoat kerouanton
soizic nolwenn gwenaelle maiwenn rozenn annaick bleuenn enora gwenn katell klervi yuna azenor lenaig sterenn aziliz
yann goulven erwan tanguy ronan malo gwenole corentin tugdual gwendal loig yannick ewen kilian maden brendan
""",
        "basque": """
etcheverry irigoyen harambillet etxeberria goyheneche bidegaray iribarne etchegaray etchegoyen etchepare etchebarne
elissalde elizalde haristoy harispe hiriart ibarra iturbide iturria jaureguy larralde larronde mendiburu mendy
oyharcabal oyhenart uhalde uhart urruty ithurbide inchauspe curutchet bordagaray barnetche amestoy aguirre arretche
maitena amaia maialen elorri graxi miren ainhoa nahia oihana maitane xabi beñat mattin peio iñaki eneko ximun
battitte peyo txomin
""",
        "italian": """
ferrari bianchi esposito marchetti santoro zanetti vitale pellegrini ciccone bortolussi rossi russo romano colombo
ricci marino greco bruno gallo conti costantini mancini lombardi moretti barbieri fontana mariani rinaldi caruso
galli martinelli leone longo gentile serra coppola messina fabbri sartori pagano bellini basile riva donati
ferracci santoni leca casabianca mattei luciani graziani poggi giacobbi paoli colonna filippi orsini albertini
giudicelli pietri franceschi mattei simeoni casanova tomasi agostini susini battesti cristofari
giulia carmela assunta rosaria concetta francesca antonella silvana ornella chiara giovanna vannina lisandra letizia
giuseppe salvatore luigi vincenzo angelo renzo matteo giovanni domenico pasquale ghjuvan enzo dino franco lorenzo
alessandro fabrizio paolo pietro giorgio sergio stefano
""",
        "iberian": """
silva ferreira santos pereira oliveira rodrigues goncalves costa teixeira marques sousa carvalho esteves moreira
antunes fernandes lopes gomes martins alves ribeiro pinto mendes nunes dias vieira barbosa rocha cardoso correia
machado araujo baptista cunha tavares azevedo monteiro magalhaes figueiredo garcia martinez fernandez lopez sanchez
romero ruiz navarro molina quintana rodriguez gonzalez perez hernandez gomez diaz moreno munoz alvarez gutierrez
ramirez torres dominguez vazquez ramos serrano blanco castro ortega rubio marquez ortiz delgado cruz mendez
maria ana fernanda rosa lurdes teresa conceicao graca isabel manuela filomena beatriz dolores pilar encarnacion
consuelo rosario mercedes josefa carmen inmaculada paloma esperanza ines fatima lucinda deolinda
manuel antonio jose joao joaquim carlos fernando paulo rui nuno armando tiago francisco miguel ramon jesus joaquin
emilio andres diego pedro luis javier alvaro sergio jorge adelino agostinho alfonso enrique
""",
        "maghreb": """
benali boukhari haddad belkacem amrani cherif mansouri bouzid ziani lahlou meziane hamou idrissi benhaddou guerroudj
slimani rahmouni tazi oubella bensaid kaddour benyahia bouazza boudjemaa bouchareb khelifi khaldi hamdi hamidi saidi
belhadj benmoussa bendaoud belaid belarbi benamar brahimi chaoui daoudi djebbar ferhat ghezali guenoun hachemi hadj
hamdani hassani kacimi khelil lakhal larbi mahfoud makhlouf medjahed mebarki merabet messaoudi mokhtari moussaoui
nasri ouali ouahabi rabhi rezgui sadaoui sahraoui souissi tahri taleb toumi yahiaoui zaoui zerrouki zidane zouaoui
trabelsi jlassi hammami gharbi chebbi benslimane alaoui bennani berrada chraibi fassi filali kettani sebti
fatima aicha khadija yasmina leila samira nadia zohra malika naima rachida amina houria dalila soraya ines fatiha
hayat karima latifa mounia nawel ouarda rahma sabah salima siham souad wafa yamina zineb zoubida meriem hafsa
mohamed ahmed karim rachid youssef abdelkader mustapha omar farid nordine hamid said bilal mehdi kamel abdellah
mohammed ali hassan khalid abdelaziz abderrahmane abdelhamid aziz brahim djamel fouad hakim hocine ismail jamal
lakhdar messaoud miloud mourad mouloud nabil noureddine redouane salah samir sofiane tarek tayeb yacine yassine zakaria
""",
        "african": """
traore diallo coulibaly ndiaye diarrassouba konate sow camara nguessan sissoko ouattara toure mbaye keita kouassi
fofana diop fall gueye faye sarr seck niang cisse sy ba kante kone sidibe sangare dembele diarra doumbia bamba
koffi kouame konan yao nzouzi mbemba kabongo mukendi essomba nkoulou mavoungou tchuente bilong eyenga ilunga
mbala kalala tshibangu mutombo makiese nsimba nkounkou moukoko ondo mba obame nguema ekoto etoundi atangana mbarga
ngono onana fotso kamga tchatchoua djoumessi adjei mensah agbodjan amouzou adjovi hounkpatin dossou ahouansou
said soilihi mchangama abdou mmadi combo houmadi madi attoumani bacar boinali
awa fatoumata aminata mariam kadiatou bintou djeneba rokhaya coumba adjoua aissatou assetou binta diariatou fanta
hawa kadidia khady maimouna mame mariama ndeye oumou ramata sira sokhna tenin yacine ngozi akissi affoue amoin
mamadou ibrahima ousmane moussa boubacar amadou issa cheikh sekou kouame abdoulaye adama alassane alioune aliou
babacar bakary bocar demba djibril drissa idrissa lassana lassina mady makan malick modibo oumar pape samba seydou
souleymane tidiane yaya youssouf zoumana kwame kofi
""",
        "turkish": """
yilmaz kaya demir celik sahin ozturk aydin arslan dogan koc karatas ozdemir kilic aslan cetin kara kurt ozkan simsek
polat korkmaz erdogan yildiz yildirim acar bulut gunes aksoy tekin cakir coskun turan unal gul bozkurt avci altun
topal karaca sezer kaplan ozcan duman keskin basar guler erdem gunduz akbulut karakaya karabulut toprak
ayse fatma zeynep emine hatice elif gulsum sevgi hulya meryem sultan nurcan songul sevda gulcan gulay dilek yeter
mehmet mustafa hasan ibrahim huseyin osman kemal ahmet murat emre burak hakan yusuf ismail ramazan ozgur serkan
volkan orhan ugur erkan cem kadir yasar
""",
        "slavic": """
nowak kowalczyk wisniewski wojciechowski szymanski kaczmarek zielinski pawlak grzeskowiak jankowiak kowalski
lewandowski kaminski wozniak kozlowski mazur krawczyk piotrowski grabowski michalski nowicki adamczyk dudek wieczorek
majewski olszewski jaworski malinowski pawlowski gorski witkowski walczak sikora baran rutkowski szewczyk szczepaniak
popescu ionescu munteanu dumitru radu petrovic jovanovic markovic stanciu vasilescu georgescu constantinescu popa
nikolic djordjevic stojanovic ilic stankovic pavlovic milosevic horvat kovac novak ivanov petrov shevchenko kovalenko
volkov bondarenko tkachenko kravchenko terzian kapandjian sarkissian hagopian petrossian manoukian boyadjian
garabedian tsiklauri beridze kapanadze
halina jadwiga stanislawa krystyna ewa danuta wanda zofia malgorzata agnieszka katarzyna ioana mihaela florica
ileana dragana vesna jasmina svetlana oksana natalia tatiana nino anahit olga irina ludmila jelena snezana
stanislaw kazimierz jerzy czeslaw zbigniew marek tadeusz wladyslaw andrzej krzysztof wojciech jan piotr ion gheorghe
dragan zoran goran milan slobodan miroslav vladimir sergei andriy dmytro igor oleg hovsep garo vartan giorgi bogdan
""",
        "asian": """
nguyen tran pham le vo hoang huynh dang bui phan ngo duong truong dinh doan vu luong mai trinh dao ho cao lam vuong
zhang chen lin wang zheng huang chhim keo vongsavath ly xiong pen wu liu zhou xu zhu sun hu guo yang moua vang yang
thao lor lao kong sok chea chhun heng kim lim long meas mao ngin nhem noun ouk phommachanh phonsavanh prak sam seng
sisavath som souvannavong soukaseum tan tang thammavong tith yim
lan hoa chi huong ngoc anh mai linh phuong thi thu thuy hanh hien hong huyen kieu loan nga nhung oanh quynh thao
trang tuyet van xuan yen mei ling xiaoyan hui yan lihua jing chanthavy sokha bopha sophea
minh quoc hung duc tuan huu loc thanh bao cuong dung hai hieu khanh khoa kien phuc quang son tam thang trung
viet wei jianguo ming zhihao bounmy sophal vuthy liang samnang kham khamphet
""",
        "tamil": """
rajaratnam tharmalingam selvarajah sivasubramaniam kanagaratnam ponnampalam thambirajah arulanandam balasingam
chandrasekaran ganeshan jeyakumar kandiah krishnapillai mahalingam murugesu nadarajah nagalingam navaratnam
paramalingam rajendran ramanathan ratnasingam sathasivam selvaratnam sinnathamby sivapalan subramaniam sundaram
thavarajah vadivelu velupillai yogarajah singh kumar patel kaur sharma gupta
vasantha nirmala sivaganga lakshmi thenmozhi kavitha malar sumathi vijaya thilaga kamala rajeswary saraswathy priya
sivakumar rajan kandasamy selvan ravi thavarasa kumaran suresh ramesh ganesh mahendran rajkumar vijayakumar
""",
        "pacific": """
wamo hnaweongo teriitahi tuihani maihota teuira tetuanui tehei teihotaata tamarii tauira teamotuaitau mataoa faatau
hapaitahaa temauri teriierooiterai tuaiva vanaa pohue wahuzue wenehoua waia lagadeuc tufele tuia fuluhea lolo
falematagia lakalaka siakinuu takatai tuulaki hmae qaeze xowie poigoune
hinano vaimiti heimata teura vaea maeva moea tiare poerava hereiti vaihere ranitea teraimana manuarii tehei heifara
teva manutea tamatoa heimanu teiki tuarii
""",
    }
)
ORIGINS: tuple[str, ...] = (FRENCH, *_EXAMPLES)
_LENGTHS = (3, 4)
_SMOOTHING = 0.5
_DRAWN = 400
_SCALE = 1000  # weights are whole numbers of thousandths of a nat: the same on every machine
_PRIOR, _SETTLED = 4_000, 3_000  # what a name has to tell beyond French: at least, and per tenfold births
_SPACE = 30_000  # n-grams that a language may have


class OriginModel:
    """A naive Bayes model over runs of three and four letters, its counts drawn towards those of French names.

    Args:
        weights: n-gram of an example → its log-likelihood ratio against French for each origin but French, in
            thousandths of a nat, in the order of `ORIGINS`.
        unseen: the same for every other n-gram.
    """

    def __init__(self, weights: Mapping[str, Sequence[int]], unseen: Sequence[int]) -> None:
        self.weights, self.unseen = weights, unseen
        self.origin_of = lru_cache(1 << 14)(self._origin_of)  # called for every word of every name

    @classmethod
    def trained(cls, french: Iterable[str]) -> OriginModel:
        """Return the model of the examples and of these French names, by their keys."""
        counts = {origin: Counter(_all_grams(sorted(set(words.split())))) for origin, words in _EXAMPLES.items()}
        usual = Counter(_all_grams(word for word in french if word not in _KNOWN))
        whole = usual.total() + _SMOOTHING * _SPACE

        def told(origin: str, gram: str) -> int:
            found, expected = counts[origin], (usual[gram] + _SMOOTHING) / whole
            return round(_SCALE * log((found[gram] + _DRAWN * expected) / (found.total() + _DRAWN) / expected))

        unseen = [round(_SCALE * log(_DRAWN / (found.total() + _DRAWN))) for found in counts.values()]
        return cls(
            {gram: [told(one, gram) for one in counts] for gram in sorted(set().union(*counts.values()))}, unseen
        )

    def _origin_of(self, word: str, births: int = 0) -> str:
        """Return the likeliest origin of a key; French the sooner, the more births it has had in France."""
        if word in _KNOWN:
            return _KNOWN[word]
        told = zip(*(self.weights.get(gram, self.unseen) for gram in _grams(word)), strict=True)
        sums = [sum(weights) for weights in told] or [0]
        best = max(range(len(sums)), key=sums.__getitem__)
        return ORIGINS[best + 1] if sums[best] > _PRIOR + _SETTLED * log10(1 + births / 10) else FRENCH


def _all_grams(words: Iterable[str]) -> Iterator[str]:
    """Yield the n-grams of words."""
    return (gram for word in words for gram in _grams(word))


def _grams(word: str) -> Iterator[str]:
    whole = f"^{word}$"
    return (whole[at : at + length] for length in _LENGTHS for at in range(len(whole) - length + 1))


_KNOWN: Mapping[str, str] = {word: origin for origin, words in _EXAMPLES.items() for word in words.split()}

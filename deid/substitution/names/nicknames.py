"""Diminutives of French first names: a table written for this product, since no public register counts them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from deid.french.folding import without_accents

# First name: what people who bear it are called, by their key (folded). A diminutive may be of several names.
_OF_MEN = """
adrien: dridri; alain: lanou; albert: bébert; alexandre: alex sacha sandro; alexis: alex; alfred: fredo; andre: dédé;
anthony: antho tony; antoine: toine toinou tonio titoine; arnaud: nono arno; arthur: tutur; auguste: guste;
baptiste: bapt titi batou; barnabe: barny; bastien: bast; benjamin: benji ben benj; benoit: ben benny;
bernard: nanard bernie; bertrand: bébert; bruno: nono; camille: camou; cedric: ced cedou;
charles: charlot charly charlie; christian: cricri chris kiki; christophe: chris totof tophe; claude: clo claudy;
clement: clem; damien: dam; daniel: dany dan dani; david: dav; denis: nini deni; didier: didi dids;
dominique: dom domi do; edmond: momon eddy; edouard: doudou eddy ed; emile: mimile milou; emmanuel: manu mano;
eric: riri rico; etienne: tienou tienne; eugene: gégène; fabien: fab; fabrice: fab fabi; felix: féfé; fernand: nanand;
florent: flo; florian: flo; francis: franky cissou; francois: fanfan soizic fanch; frederic: fred fredo;
gabriel: gaby gab; gaston: gastounet; geoffrey: geoff; georges: jojo géo; gerard: gégé; gilbert: gibe bébert;
gilles: gilou gillou; gregory: greg; guillaume: guigui willy; gustave: tatave gus; guy: guitou; henri: riton riri;
hugues: hugo; jacques: jacquot jacky jaco; jean: jeannot jojo nano; jeremy: jérem; jerome: jero gégé; joachim: jo;
joel: jojo; jonathan: jo; jordan: jojo; joseph: jojo jo; julien: juju jul; laurent: lolo lau; leon: léo;
leopold: léo popol; lionel: yoyo lio; loic: lolo; louis: loulou ptilouis lou; luc: lulu; lucien: lulu; ludovic: ludo;
marc: marco; marcel: cécel; martin: tintin; mathias: mat; mathieu: mat mathou; matthieu: matt; maurice: momo;
maxime: max maxou; maximilien: max; michel: mimi mich michou mimich; mohamed: momo; mohammed: momo; nicolas: nico;
olivier: oliv olive lili; pascal: pasco calou; patrice: pat; patrick: pat patou; paul: popaul paulo;
philippe: phil philou phifi phi; pierre: pierrot pedro pierrick; raphael: raph rapha; raymond: momon; remi: rémy mimi;
rene: néné; richard: ricky; robert: bébert bob roro robbie; roger: roro; roland: roro; romain: roro; samuel: sam;
sebastien: seb basto; serge: sergio; stanislas: stan; stephane: steph; sylvain: syl; theodore: théo; theophile: théo;
thierry: titi thithi; thomas: tom tomtom thom; tristan: tritri; valentin: val tintin; victor: toto vic;
vincent: vince vinz; xavier: xav zav; yannick: yann; yves: vonvon yvon;
"""
_OF_WOMEN = """
adele: dédé; agathe: gagathe; alexandra: alex sandra; alice: lili; aline: lili; amandine: mandy dine;
amelie: mel mélie; andree: dédé; angele: angie; angelique: angie; anne: nanou nane annie annette;
antoinette: toinette nénette; armelle: mel; audrey: dydy; aurelie: aure lili; beatrice: béa titi; benedicte: béné;
bernadette: nadette detty; berthe: bébert; brigitte: bri gigi bribri; camille: cam camou;
carine: caro; caroline: caro line; catherine: cathy kate cath katy; cecile: cec cecilou; celine: line celou;
chantal: chanchan; charlotte: cha lolotte chacha; christelle: cricri kiki; christiane: cricri christie;
christine: cricri titine chris kiki; claire: clairette clairon; clara: clarou; claudine: clo didine; clemence: clem;
clementine: clem titine; colette: coco; corinne: coco; danielle: dany dani; delphine: del fifi; denise: nini nise;
diane: didi; dominique: dom domi; eliane: lili liane; elisabeth: babeth zabeth lise betty lisou; elise: lise;
elodie: élo didi; emilie: emi milie; emmanuelle: manue; eugenie: nini ninie; eva: vava; evelyne: ève lyne vevette;
fabienne: fab; fanny: fafa; fernande: nande; florence: flo; francine: francinette;
francoise: fanchon soizic fanfan francette; frederique: fred; gabrielle: gaby; genevieve: ginou géné;
georgette: gigi jojo; ghislaine: gigi; gilberte: gigi; ginette: gigi nénette; gisele: gigi; helene: lenou leni néné;
henriette: yette; irene: nini; isabelle: isa zabou babelle; jacqueline: jacotte line jacquie;
jeanne: jeannette nanette; jeannine: nine; jennifer: jenny jen; jessica: jess; jocelyne: joce jojo;
josephine: jo fifine josette; josette: jojo; josiane: josi jo; julie: juju; juliette: juju; justine: juju titine;
laetitia: titia laeti; laura: lolo; laure: laurette; laurence: lolo; lea: lélé; leonie: léo nini;
liliane: lili liline; louise: louisette lou loulou; lucette: lulu; lucie: lulu; lucienne: lulu; lydie: lili;
madeleine: mado madelon mad; magali: mag magalie; manon: manou; margaux: margot; margot: gogo;
marguerite: margot guite maguy daisy; marianne: nanou; marie: mimi manon mariette marion; marine: marinette;
marion: manou marionnette; marlene: lene; martine: titine tine; mathilde: mat; melanie: mel mela; melissa: mel;
michele: mimi mich; michelle: mimi mich; mireille: mimi; monique: momo mony; muriel: mumu; myriam: mimi;
nadine: nad didine; nathalie: nath nat; nicole: nini nico coco; noemie: nono mimie; odile: didile; pascale: calou;
patricia: pat patou; paule: paulette; pauline: line; rebecca: becky; regine: gigi reggie; renee: nénée;
rose: rosette rosie; roseline: rosie; sabine: bibine; sabrina: sab; sandrine: sandy sand; sarah: sasa; severine: sev;
simone: momone sisi; solange: soso; sophie: soso fifi; stephanie: steph fanny; suzanne: suzette suzy suzon zanou;
sylviane: syl; sylvie: syl vivi; therese: zézette tézé; valerie: val valou; vanessa: nessa; veronique: véro;
victoire: vic; virginie: vivi gigi; viviane: vivi; yolande: yoyo; yvette: vevette; yvonne: vonette vovonne;
"""


def _read(table: str) -> dict[str, tuple[str, ...]]:
    entries = (entry.partition(":") for entry in table.replace("\n", " ").split(";") if entry.strip())
    return {name.strip(): tuple(called.split()) for name, _, called in entries}


_BY_SEX: Mapping[str, Mapping[str, tuple[str, ...]]] = {"M": _read(_OF_MEN), "F": _read(_OF_WOMEN)}


def _names_of() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, list[str]] = defaultdict(list)
    for names in _BY_SEX.values():
        for name, called in names.items():
            for nickname in called:
                found[without_accents(nickname)].append(name)
    return {nickname: tuple(dict.fromkeys(names)) for nickname, names in found.items()}


# Diminutive, without accents → first names that it may be of.
NAMES_OF: Mapping[str, tuple[str, ...]] = _names_of()


def of(name: str, sex: str | None) -> Sequence[str]:
    """Return the diminutives of a first name by its key, for one sex (None: either); empty for most names."""
    return tuple(dict.fromkeys(called for each in _sexes(sex) for called in _BY_SEX[each].get(name, ())))


def every(sex: str | None) -> Sequence[str]:
    """Return all diminutives for people of one sex (None: either), sorted."""
    return tuple(sorted({called for each in _sexes(sex) for names in _BY_SEX[each].values() for called in names}))


def _sexes(sex: str | None) -> Sequence[str]:
    return tuple(_BY_SEX) if sex is None or sex not in _BY_SEX else (sex,)

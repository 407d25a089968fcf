"""`file` on folders and files of several formats."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pydicom
import pytest

from benchmarks.raw_search import found_in
from deid.config.policy import DEFAULT
from tests import ROOT
from tests.unit.cli.conftest import Call
from tests.unit.formats.test_dicom import dicom, item

LETTER = "Madame Maëlys VASSEROT, née le 14/05/1961, IPP 8001234567, est suivie par le Dr Yann TREGUIER."
MESSAGE = (
    "MSH|^~\\&|APP|CHU|DPI|CHU|20240302143000||ORU^R01|M1|P|2.5|||||FRA|UNICODE UTF-8\r"
    "PID|1||8001234567^^^CHU^PI||VASSEROT^Maëlys||19610514|F\r"
    "OBX|1|TX|1^CR||Mme VASSEROT vue par le Dr TREGUIER, état stable.||||||F\r"
)
TABLE = "ipp;nom_patient;ddn;texte\n8001234567;VASSEROT;14/05/1961;Vue hier.\n8009876543;KERGOAT;02/03/1970;Vu.\n"
# Labels of LOINC, CIM-10 and CCAM in French, of drugs and places of care
LABELS = """
Hémoglobine [Masse/Volume] Sang ; Numérique
Leucocytes [Nombre/Volume] Sang ; Numérique ; Comptage automate
Plaquettes [Nombre/Volume] Sang ; Numérique
Créatinine [Moles/Volume] Sérum/Plasma ; Numérique
Potassium [Moles/Volume] Sérum/Plasma ; Numérique
Sodium [Moles/Volume] Sérum/Plasma ; Numérique
Glucose [Moles/Volume] Sérum/Plasma ; Numérique
Protéine C réactive [Masse/Volume] Sérum/Plasma ; Numérique
Troponine I cardiaque [Masse/Volume] Sérum/Plasma ; Numérique
Troponine T cardiaque [Masse/Volume] Sérum/Plasma ; Numérique ; haute sensibilité
Hémoglobine A1c/Hémoglobine totale [Fraction massique] Sang ; Numérique
Thyréostimuline [Unités/Volume] Sérum/Plasma ; Numérique
Ferritine [Masse/Volume] Sérum/Plasma ; Numérique
Alanine aminotransférase [Catalytique/Volume] Sérum/Plasma ; Numérique
Bilirubine totale [Moles/Volume] Sérum/Plasma ; Numérique
Gamma glutamyl transférase [Activité/Volume] Sérum/Plasma ; Numérique
INR [Temps relatif] Plasma pauvre en plaquettes ; Numérique ; Coagulation
Fibrinogène [Masse/Volume] Plasma pauvre en plaquettes ; Numérique
Débit de filtration glomérulaire [Volume/Temps/Surface] Sérum/Plasma ; Numérique ; CKD-EPI
Bactéries identifiées [Identifiant] Urine ; Résultat nominal ; Culture
Antigène de surface du virus de l'hépatite B [Présence] Sérum ; Résultat ordinal
Groupe sanguin ABO et Rh [Type] Sang ; Résultat nominal
Compte rendu d'hospitalisation
CR d'hospitalisation
CR imagerie
CR d'anatomie pathologique
Lettre de sortie
Lettre de liaison à la sortie
Compte rendu opératoire
Compte rendu de consultation
Compte rendu d'examens biologiques
Compte rendu de passage aux urgences
Prescription de médicaments
Synthèse médicale
Directives anticipées
Volet médical de synthèse
Fréquence cardiaque
Pression artérielle systolique
Pression artérielle diastolique
Température corporelle
Saturation en oxygène
Poids corporel
Taille du patient
Indice de masse corporelle
Infarctus transmural aigu du myocarde de la paroi antérieure
Insuffisance cardiaque, sans précision
Diabète sucré de type 2, sans complication
Hypertension essentielle (primitive)
Fibrillation et flutter auriculaires
Maladie d'Alzheimer à début tardif
Maladie de Parkinson
Maladie de Crohn de l'intestin grêle
Maladie de Basedow
Maladie de Hodgkin à sclérose nodulaire
Lymphome de Burkitt
Sarcome de Kaposi
Syndrome de Guillain-Barré
Syndrome de Gougerot-Sjögren
Syndrome de Down
Maladie de Horton
Purpura de Henoch-Schönlein
Maladie de Paget des os
Tumeur maligne du sein, sans précision
Pneumopathie, micro-organisme non précisé
Accouchement spontané céphalique
Chute, lieu sans précision
Antécédents familiaux de tumeur maligne du sein
Hospitalisation complète
Hospitalisation de jour
Consultation externe
Urgences
Domicile
Sang total
Sérum
Plasma hépariné
Urine du milieu du jet
Écouvillon nasopharyngé
Liquide céphalorachidien
Pénicilline
Arachide
Urticaire
Bris de glace
Entrée programmée
Mutation
fils
épouse
Personne de confiance
Médecin traitant
Anatomie
Escherichia coli
Staphylococcus aureus
Clostridioides difficile
Apixaban 5 mg, comprimé pelliculé
ELIQUIS 5 mg, comprimé pelliculé
DOLIPRANE 1000 mg, comprimé
KARDEGIC 75 mg, poudre pour solution buvable en sachet-dose
Doppler des troncs supra-aortiques
Échographie transthoracique
Radiographie du thorax de face
Scanner cérébral sans injection
IRM encéphalique avec injection de gadolinium
Hémoglobine
Natrémie
Kaliémie
NFS
Ionogramme sanguin
Gaz du sang
""".strip().split("\n")
UNITS = (
    "mmol/L µmol/L umol/L g/dL g/L mg/L mg/dL ng/mL pg/mL UI/L U/L mUI/L 10*9/L 10*12/L G/L T/L % fL pg /min "
    "mm[Hg] mmHg Cel °C kg cm kg/m2 mL/min/1.73m2 mL/min s ratio mL h d jour comprimé gélule mEq/L kPa"
).split()
RULES = ROOT / "deid" / "config" / "policies" / "rules.yaml"
# Makers, models and versions as devices write them; programs and descriptions of genetics
PRODUCTS = """
Siemens Healthineers; SOMATOM Definition AS+; syngo CT 2014A
SIEMENS; Biograph64_mCT; VB42B_SP03
GE MEDICAL SYSTEMS; Discovery CT750 HD; DV26.0_R03_1831.b
GE Healthcare; Revolution CT; MR Software release:DV25.1_R02_1649.a
Philips Medical Systems; Achieva dStream; 5.7.1.3
Canon Medical Systems Corporation; Aquilion ONE; V6.04ER003
TOSHIBA_MEC; Vantage Titan; V10.2
Carestream Health; DRX-Evolution; 5.7.4
Agfa-Gevaert; CR 35-X; NIM2104
FUJIFILM Corporation; FDR-3000AWS; A08-15
SAMSUNG MEDISON CO., LTD.; HM70A; 1.05.02.0201
Mindray; Resona 7; 01.12.00
HOLOGIC, Inc.; Selenia Dimensions; 1.8.4.1
Carl Zeiss Meditec; Cirrus HD-OCT 5000; 11.5.2
""".strip().split("\n")
PROGRAMS = (
    "GATK HaplotypeCaller;freeBayes v1.3.6;bcftools;DRAGEN;DRAGEN SW Version 4.0.3;DeepVariant 1.5.0;strelka;Mutect2;"
    "VarScan2;Sniffles2_2.0.7;PLINKv1.90;Ion Torrent Variant Caller"
).split(";")
DESCRIPTIONS = (
    "Total Depth;Approximate read depth (reads with MQ=255 or with bad mates are filtered);Genotype Quality;"
    "Phred-scaled p-value using Fisher's exact test to detect strand bias"
).split(";")
PLANTED = ("Dr Yolande Kermarrec", "poste de Mme Le Goff")
IDENTITY = ("VASSEROT", "Maëlys", "TREGUIER", "8001234567", "14/05/1961", "19610514")


@pytest.mark.usefixtures("secret")
def test_a_folder_is_rewritten_but_for_what_is_held_back(deid: Call, tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    (source / "VASSEROT").mkdir(parents=True)
    (source / "VASSEROT" / "a.txt").write_text(LETTER, encoding="cp1252")
    (source / "VASSEROT" / "b.hl7").write_bytes(MESSAGE.encode())
    (source / "c.json").write_text(json.dumps({"ipp": "8001234567", "texte": LETTER}), encoding="utf-8")
    (source / "d.xml").write_bytes(b"<dossier><a>")
    (source / "e.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(20))
    (source / "f.csv").write_text(TABLE, encoding="utf-8")
    said = deid("file", "--policy", RULES, "--workers", 2, "--report", tmp_path / "report.jsonl", source, target)
    assert said.status == 1
    assert "4 fichier(s) écrit(s), 2 retenu(s)." in said.out
    assert "1 fichier(s) de plusieurs patients" in said.err
    assert "malformed" in said.err
    assert "scanned" in said.err
    written = {path.name: path.read_bytes() for path in target.iterdir()}
    assert set(written) == {"1.txt", "2.hl7", "3.json", "6.csv"}
    for name, content in written.items():
        text = content.decode("cp1252" if name == "1.txt" else "utf-8")
        assert not [one for one in IDENTITY if one in text]
    report = [json.loads(line) for line in (tmp_path / "report.jsonl").read_text().splitlines()]
    assert [line["written"] is None for line in report] == [False, False, False, True, True, False]
    assert [line.get("patients") for line in report] == [1, 1, 1, None, None, 2]
    message = written["2.hl7"].decode().split("\r")
    name, ipp = message[1].split("|")[5].split("^")[0], message[1].split("|")[3].split("^")[0]
    assert f"Mme {name} vue" in message[2]
    assert json.loads(written["3.json"])["ipp"] == ipp  # the same patient, the same surrogates


@pytest.mark.usefixtures("secret")
def test_a_target_that_would_overwrite_is_refused(deid: Call, tmp_path: Path) -> None:
    letter = tmp_path / "a.txt"
    letter.write_text(LETTER, encoding="utf-8")
    for source, target in ((letter, letter), (letter, tmp_path), (tmp_path, tmp_path / "x"), (tmp_path / "no", letter)):
        assert deid("file", "--policy", RULES, source, target).status == 2


@pytest.mark.usefixtures("secret")
def test_labels_and_units_of_codes_stay_byte_for_byte_and_the_names_in_them_go(deid: Call, tmp_path: Path) -> None:
    source, target = tmp_path / "in", tmp_path / "out"
    source.mkdir()
    patient = {
        "resourceType": "Patient",
        "name": [{"family": "Vasserot", "given": ["Maëlys"]}],
        "birthDate": "1961-05-14",
    }
    observed: list[dict[str, object]] = [
        {"resourceType": "Observation", "status": "final", "code": {"coding": [{"code": "X1", "display": label}]}}
        for label in LABELS
    ]
    observed += [{"resourceType": "Observation", "valueQuantity": {"value": 1, "unit": unit}} for unit in UNITS]
    named = {"resourceType": "Observation", "code": {"text": "Scanner de Mme Vasserot"}}
    entries = [{"resource": one} for one in (patient, *observed, named)]
    bundle = {"resourceType": "Bundle", "type": "collection", "entry": entries}
    (source / "a.json").write_text(json.dumps(bundle, ensure_ascii=False), encoding="utf-8")
    exams = "".join(f"OBX|{at}|NM|X1^{label}^L||1|{UNITS[at % len(UNITS)]}|||||F\r" for at, label in enumerate(LABELS))
    (source / "b.hl7").write_bytes((MESSAGE + exams + "OBR|1|||X1^Scanner de Mme Vasserot\r").encode())
    assert deid("file", "--keep-names", source, target).status == 0
    written = json.loads((target / "a.json").read_text(encoding="utf-8"))["entry"]
    assert [one["resource"] for one in written[1:-1]] == observed
    message = (target / "b.hl7").read_bytes().decode()
    assert exams in message
    for text in (json.dumps(written, ensure_ascii=False), message):
        assert "vasserot" not in text.casefold()
        assert "Scanner de Mme " in text


@pytest.mark.usefixtures("secret")
def test_the_code_of_a_drug_stays_and_the_number_of_a_person_goes(deid: Call, tmp_path: Path) -> None:
    letter = tmp_path / "a.txt"
    drugs = "ELIQUIS 5 mg (CIS 66057393, CIP13 3400930085370), UCD 9385361, [CIS 60019927] SOLIAN 100 mg."
    drugs += " CIP 34009 300 853 70, AMM : 34009-300-853-7-0, code CIS 6 001 992 7, UCD 9 245 566, 60019927 (CIS)."
    letter.write_text(f"{LETTER}\nTraitement de sortie : {drugs}\nDossier n° 60019927.\n", encoding="utf-8")
    assert deid("file", letter, tmp_path / "b.txt").status == 0
    written = (tmp_path / "b.txt").read_text(encoding="utf-8")
    assert drugs in written
    assert "n° 60019927" not in written


@pytest.mark.usefixtures("secret")
def test_makers_and_models_stay_and_people_planted_there_go(deid: Call, tmp_path: Path) -> None:
    named = ("Manufacturer", "ManufacturerModelName", "SoftwareVersions")
    told = [dict(zip(named, line.split("; "), strict=True)) for line in PRODUCTS]
    planted = [{name: value} for name in named for value in PLANTED]
    (tmp_path / "a.dcm").write_bytes(dicom(ContributingEquipmentSequence=[item(**one) for one in told + planted]))
    assert deid("file", tmp_path / "a.dcm", tmp_path / "b.dcm").status == 0
    written = (tmp_path / "b.dcm").read_bytes()
    devices = pydicom.dcmread(io.BytesIO(written)).ContributingEquipmentSequence
    assert [{name: str(one[name].value) for name in named} for one in devices[: len(told)]] == told
    assert found_in(written, ["Yolande", "Kermarrec", "Le Goff"]) == set()
    assert {str(one[0].value).split()[0] for one in map(list, devices[len(told) :])} == {"Dr", "poste"}


@pytest.mark.usefixtures("secret")
def test_programs_and_descriptions_of_variants_stay_and_people_planted_there_go(deid: Call, tmp_path: Path) -> None:
    field = '##{}=<ID=D{},Number=1,Type=Integer,Description="{}",Source="dbSNP",Version="138">'
    contig = '##contig=<ID=chr1,length=248956422,assembly=GRCh38,md5=2648ae1bacce4ec4b6cf337dcae37816,species="{}">'
    kept = ["##fileformat=VCFv4.2", "##phasing=partial", contig.format("Homo sapiens")]
    kept += [f"##source={program}" for program in PROGRAMS]
    kept += [field.format("INFO", at, told) for at, told in enumerate(DESCRIPTIONS)]
    gone = [f"##{key}={value}" for key in ("source", "phasing", "assembly", "fileformat") for value in PLANTED]
    gone += [field.format(key, 9, value) for key in ("INFO", "FORMAT", "FILTER", "ALT") for value in PLANTED]
    gone += [contig.format(value) for value in PLANTED]
    rows = ["#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO", "1\t42\trs1\tA\tC\t9\tPASS\tD0=1"]
    (tmp_path / "a.vcf").write_text("\n".join([*kept, *gone, *rows, ""]), "utf-8")
    assert deid("file", tmp_path / "a.vcf", tmp_path / "b.vcf").status == 0
    written = (tmp_path / "b.vcf").read_text("utf-8")
    assert written.split("\n")[: len(kept)] == kept
    assert written.endswith("\n".join([*rows, ""]))
    assert written.count("Dr ") == written.count("poste de Mme ") == len(gone) / 2
    assert found_in(written.encode(), ["Yolande", "Kermarrec", "Le Goff"]) == set()


@pytest.mark.usefixtures("secret")
def test_dates_of_files_come_before_the_day_on_which_they_are_read(deid: Call, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for at in range(16):
        (folder / f"{at}.txt").write_text("Madame Maëlys VASSEROT, vue le 12/02/2026 et le 16/02/2026.", "utf-8")
    asked = ("--policy", DEFAULT.with_name("rules.yaml"), "--read-from", "2026-03-01")
    assert deid("file", folder, tmp_path / "out", *asked).status == 0
    texts = [path.read_text("utf-8") for path in sorted((tmp_path / "out").iterdir())]
    days = [text[at : at + 10] for text in texts for at in range(len(text)) if text[at + 2 : at + 6 : 3] == "//"]
    assert len(days) == 32
    assert max((day[6:], day[3:5], day[:2]) for day in days) < ("2026", "03", "01")
    assert len(set(days)) > 16

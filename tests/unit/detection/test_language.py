"""French or not: shorthand, lists and capitals are French; letters from abroad are told."""

from __future__ import annotations

import pytest

from deid.config import policy
from deid.detection import Detector
from deid.detection.text.language import foreign_language, plainly_french
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Patient
from deid.domain.errors import Reason
from nocturne_lab.evaluation.corpus import load_corpus
from tests import ROOT

CORPUS = ROOT / "corpus" / "train"

LETTERS = {
    "en": """Dear colleague, thank you for referring this 54 year old gentleman who was admitted to our ward with
    chest pain and shortness of breath. His blood pressure was high on admission and he had been feeling unwell for
    three weeks. We started him on a beta blocker and he will be seen again in the outpatient clinic next month.""",
    "de": """Sehr geehrte Frau Kollegin, wir berichten über Ihren Patienten, der sich vom 3. bis 12. Mai in unserer
    stationären Behandlung befand. Die Aufnahme erfolgte wegen zunehmender Atemnot. Im Röntgenbild zeigte sich ein
    Pleuraerguss links. Unter der Therapie kam es zu einer deutlichen Besserung, und wir konnten ihn entlassen.""",
    "es": """Estimado compañero: le agradecemos que nos haya enviado a este paciente de 61 años, que ingresó en nuestro
    servicio por dolor torácico y fiebre. La exploración mostraba crepitantes en la base derecha y los análisis una
    leucocitosis. Se inició tratamiento antibiótico con buena evolución y fue dado de alta el día siguiente.""",
    "it": """Gentile collega, la ringrazio per avermi inviato il paziente, ricoverato presso il nostro reparto per una
    polmonite. Gli esami del sangue hanno mostrato un aumento degli indici di flogosi. È stato trattato con antibiotici
    e le condizioni sono migliorate, quindi viene dimesso con terapia orale e un controllo tra due settimane.""",
    "pt": """Prezado colega, obrigado por ter enviado este doente de 48 anos, que foi internado no nosso serviço com
    queixas de dor abdominal e vómitos. A ecografia mostrou cálculos na vesícula e foi submetido a uma cirurgia sem
    complicações. Teve alta no terceiro dia com indicação para voltar à consulta dentro de um mês.""",
    "ar": """زميلي العزيز، نشكركم على إحالة هذا المريض الذي يبلغ من العمر ستين عاما والذي دخل إلى المستشفى بسبب ألم في
    الصدر وضيق في التنفس. أظهر تخطيط القلب تغيرات وبدأ العلاج بالأدوية المناسبة وتحسنت حالته بعد ثلاثة أيام وخرج إلى
    المنزل مع موعد للمراجعة في العيادة الخارجية بعد شهر واحد من الآن إن شاء الله""",
}
HEAD = "Centre hospitalier de la Baie\nService de cardiologie\n12 rue des Lilas\nTél. : 02 61 00 00 00\n\n"


def _told(text: str) -> str | None:
    return foreign_language(Reading(Document("d", text)))


@pytest.mark.parametrize("language", LETTERS)
@pytest.mark.parametrize("head", ["", HEAD], ids=["bare", "French letterhead"])
def test_letters_from_abroad_are_told(language: str, head: str) -> None:
    assert _told(head + LETTERS[language]) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "RAS",
        "Hb 12,9 ; Na 139 ; K 4,1 ; créat 96",
        "stent xience 3.0x18, blush 3, TIMI 3 final, thromboaspiration export",
        "hdlm, chute mecanique ds la cuisine hier soir, station au sol tte la nuit",
        "PATIENT VU CE JOUR. PAS DE FIEVRE. SORTIE DEMAIN.",
        "Thank you!",
    ],
)
def test_shorthand_and_scraps_are_not_foreign(text: str) -> None:
    assert _told(text) is None


def test_names_of_exams_do_not_count() -> None:
    labels = "\n".join(f"Type d'examen : {line.strip()}" for line in LETTERS["en"].split("\n"))
    assert _told(labels) is None
    assert _told(f"{labels}\n{LETTERS['en']}\n{labels}") == "en"
    assert not plainly_french(f"{LETTERS['en']}\nType d'examen : {'avec pour dans ' * 50}")


def test_no_document_of_the_corpus_is_foreign() -> None:
    assert [gold.document.id for gold in load_corpus(CORPUS) if foreign_language(Reading(gold.document))] == []


def _detector(foreign: str) -> Detector:
    chosen = policy.load()
    return Detector(chosen.model_copy(update={"detection": chosen.detection.model_copy(update={"foreign": foreign})}))


def test_the_policy_says_what_becomes_of_a_foreign_letter() -> None:
    letter = Document("d", LETTERS["en"] + "\nDr John Whitfield, phone 06 12 34 56 78.", Patient(last_name="Whitfield"))
    assert _detector("quarantine").refusal(letter) is Reason.NOT_FRENCH
    assert _detector("quarantine").refusal(Document("f", "Le patient est vu ce jour pour une toux.")) is None
    lenient = _detector("patterns")
    assert lenient.refusal(letter) is None
    (found,) = lenient.detect([letter])
    assert {letter.text[one.start : one.end] for one in found} >= {"John Whitfield", "06 12 34 56 78"}
    assert {vote.annotator for one in found for vote in one.votes} <= {"patterns", "identity", "repetition", "initials"}

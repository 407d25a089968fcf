"""A warehouse of a few documents, eHOP-like, that tests fill row by row."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

from deid.database.queries import SQL
from tests.conftest import Database

NIGHT = datetime(2026, 3, 2, 2, 30, tzinfo=UTC)
DAY = timedelta(days=1)

PEOPLE = """
INSERT INTO cdw.patient VALUES
    ('P000001', '8001234567', 'VASSEROT', 'QUILLEC', '{Maëlys,Anne}', 'F', '1961-05-14', '261057511600432',
     '12 rue des Lilas', '21000', 'Dijon', '21231', '03 80 11 22 33', '', 'maelys.vasserot@example.org'),
    ('P000002', '8007654321', 'BROUSTET', NULL, '{Célestin}', 'M', '1948-11-02', NULL,
     '', '25000', 'Besançon', '25056', NULL, '06 12 34 56 78', NULL);
INSERT INTO cdw.stay VALUES
    ('S000001', 'P000001', '260012345', 'CARD', 'Cardiologie', '2026-02-25', '2026-03-02'),
    ('S000002', 'P000002', '260054321', 'PNEU', 'Pneumologie', '2026-02-27', NULL);
INSERT INTO cdw.staff VALUES ('M000001', '10001234567', 'TREGUIER', 'Yann', 'médecin', 'CARD', NULL, NULL);
"""

LETTER = """Service de cardiologie

Compte rendu d'hospitalisation

Madame Maëlys VASSEROT, née le 14/05/1961, demeurant 12 rue des Lilas à Dijon, a été hospitalisée du
25/02/2026 au 02/03/2026 pour une douleur thoracique. Elle est suivie par le Dr Yann TREGUIER.
L'examen retrouve une tension artérielle à 14/8 et un rythme régulier. Le bilan biologique est sans particularité.
Elle sort avec un traitement par bisoprolol 2,5 mg et sera revue dans un mois. Tél. 03 80 11 22 33.
"""

PAGE = """<html><head><title>x</title></head><body><h1>Compte rendu de consultation</h1>
<p>Monsieur <b>Célestin BROUSTET</b>, âgé de 77&nbsp;ans, est venu le 27 février 2026 pour une toux qui dure depuis
trois semaines. Il habite Besançon. L'auscultation est normale, la radiographie du thorax ne montre pas de foyer.
Un traitement symptomatique est prescrit et le patient sera revu en cas de fièvre.</p></body></html>"""


# Random ids would hide in a test which document it speaks of. `test_linkage`, `test_identity` and the nights of the
# synthetic hospital have them.
READABLE = """
CREATE FUNCTION identity.readable() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.ledger_id := NEW.source_id;
    RETURN NEW;
END $$;
CREATE TRIGGER readable BEFORE INSERT ON identity.mapping FOR EACH ROW EXECUTE FUNCTION identity.readable();
"""


def open_hospital(postgres: Database, *, opaque: bool = False) -> None:
    """Make the tables, two patients and their stays; unless `opaque`, the ledger's ids are the hospital's."""
    if not opaque:
        postgres.rows(READABLE)
    for name in ("cdw", "omop"):
        postgres.rows((SQL / "synthetic_hospital" / f"{name}.sql").read_text(encoding="utf-8"), role="owner")
    postgres.rows(PEOPLE, role="owner")


def put(
    postgres: Database,
    document_id: str,
    content: str | bytes = LETTER,
    *,
    patient: str | None = "P000001",
    at: datetime = NIGHT,
    **columns: str,
) -> None:
    """Insert a document, or correct it: its content and ingestion time change."""
    raw = content.encode() if isinstance(content, str) else content
    row = {
        "document_id": document_id,
        "patient_id": patient,
        "stay_id": {"P000001": "S000001", "P000002": "S000002"}.get(patient or ""),
        "type_code": "CRH",
        "loinc_code": "34105-7",
        "title": "Compte rendu d'hospitalisation",
        "format": "text/plain",
        "content": raw,
        "written_on": date(2026, 3, 2),
        "ingested_at": at,
        **columns,
    }
    names = ", ".join(row)
    updates = ", ".join(f"{name} = excluded.{name}" for name in row)
    places = ", ".join(f"%({name})s" for name in row)
    postgres.rows(
        f"INSERT INTO cdw.document ({names}) VALUES ({places}) ON CONFLICT (document_id) DO UPDATE SET {updates}", row
    )


def withdraw(postgres: Database, document_id: str, at: datetime) -> None:
    """The patient opted out: the warehouse marks the document."""
    postgres.rows(
        "UPDATE cdw.document SET withdrawn_at = %s, ingested_at = %s WHERE document_id = %s", (at, at, document_id)
    )

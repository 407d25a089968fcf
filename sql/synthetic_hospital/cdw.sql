-- Grain: one row per patient, stay, professional and document of the synthetic hospital.
-- Purpose: the tables of an eHOP-like clinical warehouse, as `sql/sources/ehop` reads them. Nobody in them exists.
CREATE SCHEMA IF NOT EXISTS cdw;

CREATE TABLE IF NOT EXISTS cdw.patient (
    patient_id text PRIMARY KEY,
    ipp text NOT NULL UNIQUE,
    last_name text NOT NULL,
    birth_name text,
    first_names text [] NOT NULL,
    sex char(1) CHECK (sex IN ('M', 'F')),
    birth_date date,
    nir text,
    address text,
    zip text,
    city text,
    insee text,
    phone text,
    mobile text,
    email text
);
COMMENT ON TABLE cdw.patient IS 'One patient, as the hospital''s administration knows them.';
COMMENT ON COLUMN cdw.patient.insee IS 'INSEE code of the commune of residence.';

CREATE TABLE IF NOT EXISTS cdw.patient_merge (
    patient_id text PRIMARY KEY REFERENCES cdw.patient,
    merged_into text NOT NULL REFERENCES cdw.patient
);
COMMENT ON TABLE cdw.patient_merge IS 'One patient who was merged into another, once both were known to be one person.';

CREATE TABLE IF NOT EXISTS cdw.stay (
    stay_id text PRIMARY KEY,
    patient_id text NOT NULL REFERENCES cdw.patient,
    nda text NOT NULL UNIQUE,
    service_code text NOT NULL,
    service_name text NOT NULL,
    admitted_on date NOT NULL,
    discharged_on date
);
COMMENT ON TABLE cdw.stay IS 'One stay or outpatient visit; the latter ends the day it starts.';
CREATE INDEX IF NOT EXISTS stay_patient ON cdw.stay (patient_id);

CREATE TABLE IF NOT EXISTS cdw.diagnosis (
    stay_id text NOT NULL REFERENCES cdw.stay,
    position smallint NOT NULL CHECK (position > 0),
    code text NOT NULL CHECK (code ~ '^[A-Z][0-9]{2}[0-9]{0,3}$'),
    PRIMARY KEY (stay_id, position),
    UNIQUE (stay_id, code)
);
COMMENT ON TABLE cdw.diagnosis IS 'One ICD-10 code of a stay, as coders gave it; the main diagnosis has position 1.';
COMMENT ON COLUMN cdw.diagnosis.code IS 'CIM-10 of the ATIH, without point: I501.';
ALTER TABLE cdw.diagnosis ADD COLUMN IF NOT EXISTS label text;
COMMENT ON COLUMN cdw.diagnosis.label IS 'French label of the code in the CIM-10 of the ATIH.';

CREATE TABLE IF NOT EXISTS cdw.staff (
    staff_id text PRIMARY KEY,
    rpps text,
    last_name text NOT NULL,
    first_name text,
    role text,
    service_code text,
    phone text,
    email text
);
COMMENT ON TABLE cdw.staff IS 'One professional of the hospital.';

CREATE TABLE IF NOT EXISTS cdw.document (
    document_id text PRIMARY KEY,
    patient_id text REFERENCES cdw.patient,
    stay_id text REFERENCES cdw.stay,
    type_code text NOT NULL,
    loinc_code text,
    title text,
    format text NOT NULL,
    charset text NOT NULL DEFAULT 'utf-8',
    content bytea NOT NULL,
    author_id text REFERENCES cdw.staff,
    written_on date,
    ingested_at timestamptz NOT NULL,
    withdrawn_at timestamptz
);
COMMENT ON TABLE cdw.document IS 'One document in its present version.';
COMMENT ON COLUMN cdw.document.content IS 'Native bytes: plain text or HTML in the declared charset, or a file.';
COMMENT ON COLUMN cdw.document.ingested_at IS 'When this version arrived; a correction and a withdrawal move it.';
COMMENT ON COLUMN cdw.document.withdrawn_at IS 'When the document stopped being usable (opt-out, deleted at source).';
CREATE INDEX IF NOT EXISTS document_arrival ON cdw.document (ingested_at, document_id);

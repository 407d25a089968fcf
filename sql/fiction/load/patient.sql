-- Grain: one patient of incoming_patient.
-- Purpose: add those that are not there yet.
INSERT INTO cdw.patient (
    patient_id, ipp, last_name, birth_name, first_names, sex, birth_date, nir, address, zip, city, insee, phone,
    mobile, email
)
SELECT
    patient_id, ipp, last_name, birth_name, first_names, sex, birth_date, nir, address, zip, city, insee, phone,
    mobile, email
FROM incoming_patient
ON CONFLICT (patient_id) DO NOTHING

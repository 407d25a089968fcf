-- Grain: one stay of incoming_stay.
-- Purpose: add those that are not there yet.
INSERT INTO cdw.stay (stay_id, patient_id, nda, service_code, service_name, admitted_on, discharged_on)
SELECT stay_id, patient_id, nda, service_code, service_name, admitted_on, discharged_on
FROM incoming_stay
ON CONFLICT (stay_id) DO NOTHING

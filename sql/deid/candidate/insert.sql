-- Grain: one document of a run. Purpose: its surrogate text, until it is published or refused.
INSERT INTO deid.candidate (
    run_id, document_id, patient_id, stay_id, title, text, markup, spans, surrogates, reference_date,
    reference_versions
)
SELECT
    %(run_id)s, i.document_id, i.patient_id, i.stay_id, i.title, i.text, i.markup, i.spans, i.surrogates,
    i.reference_date, i.reference_versions
FROM incoming_candidate AS i
INNER JOIN owned AS o ON i.document_id = o.document_id
ON CONFLICT (run_id, document_id) DO UPDATE
SET
    patient_id = excluded.patient_id,
    stay_id = excluded.stay_id,
    title = excluded.title,
    text = excluded.text,
    markup = excluded.markup,
    spans = excluded.spans,
    surrogates = excluded.surrogates,
    reference_date = excluded.reference_date,
    reference_versions = excluded.reference_versions

-- Grain: one document. Purpose: its state after a step, and what the step learnt of it.
UPDATE deid.document AS d
SET
    state = i.state,
    patient_id = coalesce(i.patient_id, d.patient_id),
    loinc_code = coalesce(i.loinc_code, d.loinc_code),
    characters = coalesce(i.characters, d.characters),
    title_clean = coalesce(i.title_clean, d.title_clean),
    durations = coalesce(i.durations, d.durations),
    durations_lost = coalesce(i.durations_lost, d.durations_lost),
    updated_at = now()
FROM incoming_document AS i
INNER JOIN owned AS o ON i.document_id = o.document_id
WHERE d.document_id = i.document_id AND d.content_hash = i.content_hash AND d.run_id = %(run_id)s

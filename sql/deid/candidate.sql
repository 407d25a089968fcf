-- name: batch
-- Grain: one document. Purpose: the candidates of a batch, for validation.
SELECT c.document_id, c.text, c.markup, c.surrogates, c.spans, c.reference_date
FROM deid.candidate AS c
WHERE c.run_id = %(run_id)s AND c.document_id = ANY(%(document_ids)s);

-- name: drop_orphans
-- Grain: one candidate text. Purpose: erase what a dead run left of documents that another run has taken over.
DELETE FROM deid.candidate AS c
USING new_document AS n
WHERE
    c.document_id = n.document_id
    AND NOT EXISTS (SELECT FROM deid.document AS d WHERE d.run_id = c.run_id AND d.document_id = c.document_id);

-- name: drop_refused
-- Grain: one candidate text. Purpose: erase the text of documents that this step did not let pass.
DELETE FROM deid.candidate AS c
USING owned AS o, incoming_document AS i
WHERE
    c.run_id = %(run_id)s
    AND c.document_id = o.document_id
    AND i.document_id = o.document_id
    AND i.state IN ('quarantined', 'superseded', 'withdrawn');

-- name: insert
-- Grain: one document of a run. Purpose: its surrogate text, until it is published or refused.
INSERT INTO deid.candidate (
    run_id, document_id, patient_id, stay_id, title, text, markup, spans, surrogates, reference_date,
    reference_versions, file, file_type, file_suffix, attributes
)
SELECT
    %(run_id)s, i.document_id, i.patient_id, i.stay_id, i.title, i.text, i.markup, i.spans, i.surrogates,
    i.reference_date, i.reference_versions, i.file, i.file_type, i.file_suffix, i.attributes
FROM incoming_candidate AS i
INNER JOIN owned AS o ON i.document_id = o.document_id
ORDER BY i.document_id
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
    reference_versions = excluded.reference_versions,
    file = excluded.file,
    file_type = excluded.file_type,
    file_suffix = excluded.file_suffix,
    attributes = excluded.attributes;

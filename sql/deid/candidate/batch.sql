-- Grain: one document. Purpose: the candidates of a batch, for validation.
SELECT c.document_id, c.text, c.markup, c.surrogates, c.spans, c.reference_date
FROM deid.candidate AS c
WHERE c.run_id = %(run_id)s AND c.document_id = ANY(%(document_ids)s)

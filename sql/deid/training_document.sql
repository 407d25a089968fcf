-- name: chosen
-- Grain: one document that researchers read and whose policy lets it leave. Purpose: its text and the spans of its
-- surrogates, of as many as are asked for, in an order that a seed decides.
SELECT t.document_id, t.document_type, t.text, t.spans
FROM deid.training_document AS t
ORDER BY sha256(convert_to(%(seed)s || E'\n' || t.document_id, 'UTF8'))
LIMIT %(size)s;

-- name: counts
-- Grain: all documents that researchers read. Purpose: how many may leave, and how many their policy keeps here.
SELECT count(t.document_id) AS permitted, count(*) - count(t.document_id) AS held
FROM research.document AS d
LEFT JOIN deid.training_document AS t ON d.document_id = t.document_id;

-- name: waiting_opt_outs
-- Grain: all opt-outs in force. Purpose: how many, recorded by the source's patient id, have removed nothing yet: a
-- pseudonym's rows leave when it is recorded, those of a source's patient when it is applied.
SELECT count(*) AS waiting
FROM deid.opt_out AS o
WHERE o.revoked_at IS NULL AND o.applied_at IS NULL AND o.pseudonym IS NULL;

-- name: chosen
-- Grain: one document that researchers read and whose policy lets it leave. Purpose: its text and the spans of its
-- surrogates, of as many as are asked for, in an order that a seed decides; the export is recorded.
SELECT t.document_id, t.document_type, t.text, t.spans
FROM deid.export_training(%(seed)s, %(size)s, %(steward)s, %(details)s::jsonb) AS t;

-- name: counts
-- Grain: all documents that researchers read. Purpose: how many may leave, and how many their policy keeps here.
SELECT c.permitted, c.held FROM deid.count_training() AS c;

-- name: waiting_opt_outs
-- Grain: all opt-outs in force. Purpose: how many, recorded by the source's patient id, have removed nothing yet: a
-- pseudonym's rows leave when it is recorded, those of a source's patient when it is applied.
SELECT count(*) AS waiting
FROM deid.opt_out AS o
WHERE o.revoked_at IS NULL AND o.applied_at IS NULL AND o.pseudonym IS NULL;

-- Grain: one staged document. Purpose: its patient's account cannot bear it; no text of it stays behind.
WITH refused AS (
    UPDATE deid.document AS d
    SET state = 'quarantined', updated_at = now()
    WHERE d.run_id = %(run_id)s AND d.document_id = ANY(%(document_ids)s) AND d.state = 'staged'
    RETURNING d.document_id, d.content_hash
),

erased AS (
    DELETE FROM deid.candidate AS c
    USING refused AS r
    WHERE c.run_id = %(run_id)s AND c.document_id = r.document_id
)

INSERT INTO deid.quarantine (run_id, document_id, content_hash, step, reason)
SELECT %(run_id)s, r.document_id, r.content_hash, 'stage', %(reason)s
FROM refused AS r
ON CONFLICT DO NOTHING

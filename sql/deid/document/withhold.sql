-- Grain: one staged document of a batch. Purpose: its patient objected since it was staged: it is not published.
WITH held AS (
    UPDATE deid.document AS d
    SET state = 'withdrawn', updated_at = now()
    WHERE d.run_id = %(run_id)s AND d.document_id = ANY(%(document_ids)s) AND d.state = 'staged'
    RETURNING d.document_id
)

DELETE FROM deid.candidate AS c
USING held AS h
WHERE c.run_id = %(run_id)s AND c.document_id = h.document_id

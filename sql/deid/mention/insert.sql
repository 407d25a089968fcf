-- Grain: one mention. Purpose: what detection found, in place of what an earlier attempt of this run left.
WITH gone AS (
    DELETE FROM deid.mention AS m USING owned AS o
    WHERE m.run_id = %(run_id)s AND m.document_id = o.document_id AND m.ordinal >= (
        SELECT count(*) FROM incoming_mention AS i WHERE i.document_id = m.document_id
    )
)

INSERT INTO deid.mention (run_id, document_id, ordinal, start_offset, end_offset, label, subtype, score, votes)
SELECT
    %(run_id)s, i.document_id, i.ordinal, i.start_offset, i.end_offset, i.label, i.subtype, i.score, i.votes
FROM incoming_mention AS i
INNER JOIN owned AS o ON i.document_id = o.document_id
ON CONFLICT (run_id, document_id, ordinal) DO UPDATE
SET
    start_offset = excluded.start_offset,
    end_offset = excluded.end_offset,
    label = excluded.label,
    subtype = excluded.subtype,
    score = excluded.score,
    votes = excluded.votes

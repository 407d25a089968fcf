-- name: batch
-- Grain: one mention. Purpose: what detection found in the documents of a batch.
SELECT document_id, start_offset, end_offset, label, score, subtype, votes
FROM deid.mention
WHERE run_id = %(run_id)s AND document_id = ANY(%(document_ids)s)
ORDER BY document_id, ordinal;

-- name: shown
-- Grain: one mention. Purpose: the same for stewards, without what an open review hides from its readers.
SELECT m.document_id, m.start_offset, m.end_offset, m.label, m.score, m.subtype, m.votes
FROM deid.shown_mentions(%(run_id)s, %(document_ids)s) AS m
ORDER BY m.document_id, m.ordinal;

-- name: insert
-- Grain: one mention. Purpose: what detection found, in place of what an earlier attempt of this run left.
WITH counted AS (
    SELECT o.document_id, count(i.ordinal) AS mentions
    FROM owned AS o
    LEFT JOIN incoming_mention AS i ON o.document_id = i.document_id
    GROUP BY o.document_id
),

gone AS (
    DELETE FROM deid.mention AS m USING counted AS c
    WHERE m.run_id = %(run_id)s AND m.document_id = c.document_id AND m.ordinal >= c.mentions
)

INSERT INTO deid.mention (run_id, document_id, ordinal, start_offset, end_offset, label, subtype, score, votes)
SELECT
    %(run_id)s, i.document_id, i.ordinal, i.start_offset, i.end_offset, i.label, i.subtype, i.score, i.votes
FROM incoming_mention AS i
INNER JOIN owned AS o ON i.document_id = o.document_id
ORDER BY i.document_id, i.ordinal
ON CONFLICT (run_id, document_id, ordinal) DO UPDATE
SET
    start_offset = excluded.start_offset,
    end_offset = excluded.end_offset,
    label = excluded.label,
    subtype = excluded.subtype,
    score = excluded.score,
    votes = excluded.votes;

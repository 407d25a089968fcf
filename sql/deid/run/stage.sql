-- Grain: one run. Purpose: close it, with the digest of what it leaves to be published: texts and withdrawals.
-- Whoever approves the interval approves this digest.
UPDATE deid.run AS r
SET
    state = CASE WHEN r.state = 'planned' THEN 'staged' ELSE r.state END,
    finished_at = coalesce(r.finished_at, now()),
    staged_digest = coalesce(r.staged_digest, encode(sha256(convert_to(coalesce((
        SELECT
            string_agg(
                d.document_id || ' ' || d.content_hash || ' ' || encode(sha256(convert_to(c.text, 'UTF8')), 'hex'),
                E'\n' ORDER BY d.document_id COLLATE "C"
            )
        FROM deid.document AS d
        INNER JOIN deid.candidate AS c ON d.run_id = c.run_id AND d.document_id = c.document_id
        WHERE d.run_id = r.run_id AND d.state = 'staged'
    ), '') || E'\n' || coalesce((
        SELECT string_agg(w.document_id, E'\n' ORDER BY w.document_id COLLATE "C")
        FROM deid.withdrawal AS w
        WHERE w.run_id = r.run_id
    ), ''), 'UTF8')), 'hex'))
WHERE r.run_id = %(run_id)s

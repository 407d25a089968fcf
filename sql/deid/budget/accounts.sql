-- Grain: one document that a run is about to stage. Purpose: what its patient has spent before, and what it adds.
-- Spent is what was published or waits for it. The same content drawn again under the same key with the same share of ε
-- is the same draw (docs/decisions/2026-11-21-patient-account.md): it is counted once, by its greatest line.
WITH mine AS (
    SELECT d.document_id, c.patient_id, c.reference_date
    FROM deid.document AS d
    INNER JOIN deid.candidate AS c ON d.run_id = c.run_id AND d.document_id = c.document_id
    WHERE d.run_id = %(run_id)s AND d.state = 'staged'
),

lines AS (
    SELECT
        b.run_id = %(run_id)s AS is_mine,
        b.patient_id,
        b.document_id,
        b.content_hash,
        r.key_fingerprint,
        b.category,
        b.mechanism,
        round((b.epsilon / b.elements)::numeric, 9) AS share,
        b.epsilon::numeric AS epsilon,
        b.published
        OR (b.run_id <> %(run_id)s AND EXISTS (
            SELECT FROM deid.document AS d
            WHERE
                d.run_id = b.run_id AND d.document_id = b.document_id AND d.content_hash = b.content_hash
                AND d.state = 'staged'
        )) AS is_spent
    FROM deid.budget AS b
    INNER JOIN deid.run AS r ON b.run_id = r.run_id
    WHERE b.patient_id IN (SELECT m.patient_id FROM mine AS m)
),

spent AS (
    SELECT
        l.patient_id, l.document_id, l.content_hash, l.key_fingerprint, l.category, l.mechanism, l.share,
        max(l.epsilon) AS epsilon
    FROM lines AS l
    WHERE l.is_spent
    GROUP BY l.patient_id, l.document_id, l.content_hash, l.key_fingerprint, l.category, l.mechanism, l.share
),

before AS (
    SELECT s.patient_id, sum(s.epsilon) AS epsilon
    FROM spent AS s
    GROUP BY s.patient_id
),

added AS (
    SELECT l.document_id, sum(greatest(0, l.epsilon - coalesce(s.epsilon, 0))) AS epsilon
    FROM lines AS l
    LEFT JOIN spent AS s
        ON l.patient_id = s.patient_id
        AND l.document_id = s.document_id
        AND l.content_hash = s.content_hash
        AND l.key_fingerprint = s.key_fingerprint
        AND l.category = s.category
        AND l.mechanism = s.mechanism
        AND l.share = s.share
    WHERE l.is_mine
    GROUP BY l.document_id
)

SELECT
    m.patient_id,
    m.document_id,
    coalesce(b.epsilon, 0) AS spent,
    coalesce(a.epsilon, 0) AS added
FROM mine AS m
LEFT JOIN before AS b ON m.patient_id = b.patient_id
LEFT JOIN added AS a ON m.document_id = a.document_id
ORDER BY m.patient_id COLLATE "C", m.reference_date NULLS LAST, m.document_id COLLATE "C"

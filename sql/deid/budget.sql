-- name: accounts
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
ORDER BY m.patient_id COLLATE "C", m.reference_date NULLS LAST, m.document_id COLLATE "C";

-- name: insert
-- Grain: one category of elements of a document. Purpose: what its surrogates cost.
INSERT INTO deid.budget (run_id, document_id, content_hash, patient_id, category, mechanism, epsilon, elements)
SELECT
    %(run_id)s, i.document_id, o.content_hash, min(i.patient_id), i.category, i.mechanism, sum(i.epsilon),
    sum(i.elements)
FROM incoming_budget AS i
INNER JOIN owned AS o ON i.document_id = o.document_id
GROUP BY i.document_id, o.content_hash, i.category, i.mechanism
ORDER BY i.document_id, i.category, i.mechanism
ON CONFLICT (run_id, document_id, category, mechanism) DO UPDATE
SET
    content_hash = excluded.content_hash,
    patient_id = excluded.patient_id,
    epsilon = excluded.epsilon,
    elements = excluded.elements;

-- name: patients
-- Grain: one patient with published documents. Purpose: what they have spent together, counted as accounts.sql counts.
SELECT f.documents, f.epsilon
FROM deid.patient_totals() AS f;

-- name: publish
-- Grain: one category of elements of a document. Purpose: what a batch publishes counts for its patients from now on.
UPDATE deid.budget AS b
SET published = true
FROM deid.document AS d
WHERE
    d.release_id = %(release_id)s AND d.run_id = %(run_id)s AND d.batch_id = %(batch_id)s AND d.state = 'staged'
    AND b.run_id = d.run_id AND b.document_id = d.document_id AND b.content_hash = d.content_hash
    AND NOT b.published;

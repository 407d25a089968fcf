-- name: compare
-- Grain: one document that a run is about to stage. Purpose: count what it says of its patient and what disagrees with
-- the patient's other documents under the same secret, published or staged. The value that most published documents
-- have is right; where none is published, the one that most staged ones have, the first by digest of as many.
WITH mine AS (
    SELECT d.patient_id, r.key_fingerprint
    FROM deid.document AS d
    INNER JOIN deid.run AS r ON d.run_id = r.run_id
    WHERE d.run_id = %(run_id)s AND d.state = 'staged' AND jsonb_array_length(d.said) > 0
    GROUP BY d.patient_id, r.key_fingerprint
),

held AS (
    SELECT DISTINCT ON (d.document_id) d.document_id, d.patient_id, d.run_id, d.state = 'published' AS published, d.said
    FROM deid.document AS d
    INNER JOIN deid.run AS r ON d.run_id = r.run_id
    INNER JOIN mine AS m ON d.patient_id = m.patient_id AND r.key_fingerprint = m.key_fingerprint
    WHERE d.state IN ('staged', 'published')
    ORDER BY d.document_id ASC, d.run_id DESC
),

said AS (
    SELECT
        h.document_id, h.patient_id, h.run_id, h.published,
        s.item ->> 0 AS kind, s.item ->> 1 AS source, s.item ->> 2 AS value, (s.item ->> 3)::int AS times
    FROM held AS h
    CROSS JOIN LATERAL jsonb_array_elements(h.said) AS s (item)
    WHERE s.item ->> 0 = ANY(%(compared)s)
),

weighed AS (
    SELECT
        patient_id, kind, source, value,
        row_number() OVER (
            PARTITION BY patient_id, kind, source
            ORDER BY count(*) FILTER (WHERE published) DESC, count(*) DESC, value COLLATE "C"
        ) AS place
    FROM said
    GROUP BY patient_id, kind, source, value
),

counted AS (
    SELECT
        s.document_id,
        s.kind,
        sum(s.times) AS stated,
        coalesce(sum(s.times) FILTER (WHERE w.place > 1), 0) AS violated
    FROM said AS s
    INNER JOIN weighed AS w USING (patient_id, kind, source, value)
    WHERE s.run_id = %(run_id)s
    GROUP BY s.document_id, s.kind
),

gathered AS (
    SELECT c.document_id, jsonb_object_agg(c.kind, jsonb_build_array(c.stated, c.violated)) AS agreement
    FROM counted AS c
    GROUP BY c.document_id
)

UPDATE deid.document AS d
SET agreement = coalesce(d.agreement, '{}') || g.agreement
FROM gathered AS g
WHERE d.run_id = %(run_id)s AND d.document_id = g.document_id AND d.state = 'staged';

-- name: disagreeing
-- Grain: one staged document of a run. Purpose: those that disagree on their patient, which the policy holds back.
SELECT d.document_id
FROM deid.document AS d
WHERE
    d.run_id = %(run_id)s AND d.state = 'staged'
    AND deid.disagreements(d.agreement - 'article') IS NOT NULL
ORDER BY d.document_id;

-- name: published
-- Grain: one interval. Purpose: how many of its published documents disagree.
SELECT coalesce(sum(t.documents), 0)::int AS documents
FROM deid.disagreement_tally AS t
WHERE t.interval_key = %(interval_key)s;

-- name: shown
-- Grain: one document that disagrees and waits. Purpose: which ones, by the ledger's id, and in what.
SELECT d.document_id, d.disagreements
FROM deid.waiting_disagreement AS d
WHERE d.interval_key = %(interval_key)s
ORDER BY d.document_id
LIMIT %(most)s;

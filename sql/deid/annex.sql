-- name: arrivals
-- Grain: one published document of a patient of the interval's release. Purpose: its published day and the night of
-- its arrival, for the model of who reads at each rewriting; of nights alone, since a longer interval tells no day.
SELECT
    d.patient_id,
    d.reference_date,
    (r.interval_start AT TIME ZONE 'Europe/Paris')::date AS arrived
FROM deid.published_document AS d
INNER JOIN deid.run AS r ON d.run_id = r.run_id
WHERE
    d.reference_date IS NOT NULL
    AND r.interval_end - r.interval_start < interval '36 hours'
    AND d.patient_id IN (
        SELECT o.patient_id
        FROM deid.published_document AS o
        INNER JOIN deid.release AS p ON o.release_id = p.release_id
        WHERE p.interval_key = %(interval_key)s AND p.published_at IS NOT NULL
    )
ORDER BY d.patient_id COLLATE "C", d.document_id COLLATE "C";

-- name: decisions
-- Grain: one answer on the interval. Purpose: who signed what, and when; no reason, which is free text.
SELECT d.chosen, d.decided_by, d.decided_at
FROM deid.told_decision AS d
WHERE d.interval_key = %(interval_key)s AND d.chosen <> 'proposed'
ORDER BY d.decided_at;

-- name: epsilon_patients
-- Grain: one patient with a document of the interval's release. Purpose: the ε that all their published documents have
-- spent together, counted as the accounts count.
WITH lines AS (
    SELECT b.patient_id, b.document_id, max(b.epsilon) AS epsilon
    FROM deid.budget AS b
    INNER JOIN deid.run AS r ON b.run_id = r.run_id
    WHERE
        b.published AND b.patient_id IN (
            SELECT d.patient_id
            FROM deid.document AS d
            INNER JOIN deid.release AS p ON d.release_id = p.release_id
            WHERE p.interval_key = %(interval_key)s AND p.published_at IS NOT NULL AND d.state = 'published'
        )
    GROUP BY
        b.patient_id, b.document_id, b.content_hash, r.key_fingerprint, b.category, b.mechanism,
        round((b.epsilon / b.elements)::numeric, 9)
)

SELECT sum(l.epsilon) AS epsilon
FROM lines AS l
GROUP BY l.patient_id
ORDER BY 1;

-- name: groups
-- Grain: one call, for some of the columns that researchers read (`columns`). Purpose: of how many patients (k), in all
-- that is published, and of how many types (l) are the groups to which the documents of the interval's release belong.
-- `stay` is the types of all documents of the stay, in order.
WITH published AS (
    SELECT
        p.interval_key = %(interval_key)s AS mine,
        d.patient_id,
        d.attributes,
        d.reference_date,
        CASE WHEN q.content #>> '{publication,stay}' = 'drop' THEN NULL ELSE d.stay_id END AS stay_id,
        coalesce(deid.shown_type(q.content -> 'publication', d.document_type, d.loinc_code), '')
        || CASE
            WHEN q.content #>> '{publication,types}' <> 'warehouse' THEN '' ELSE '|' || coalesce(d.loinc_code, '')
        END AS kind
    FROM deid.published_document AS d
    INNER JOIN deid.release AS p ON d.release_id = p.release_id
    LEFT JOIN deid.policy AS q ON d.policy_hash = q.policy_hash
    WHERE p.published_at IS NOT NULL
),

stays AS (
    SELECT u.stay_id, array_agg(u.kind ORDER BY u.kind) AS kinds
    FROM published AS u
    WHERE u.stay_id IS NOT NULL AND 'stay' = any(%(columns)s)
    GROUP BY u.stay_id
),

grouped AS (
    SELECT
        count(*) FILTER (WHERE u.mine) AS documents, count(DISTINCT u.patient_id) AS size,
        count(DISTINCT u.kind) AS kinds
    FROM published AS u
    LEFT JOIN stays AS s ON u.stay_id = s.stay_id
    GROUP BY
        CASE WHEN 'type' = any(%(columns)s) THEN u.kind END,
        CASE WHEN 'month' = any(%(columns)s) THEN date_trunc('month', u.reference_date) END,
        CASE WHEN 'day' = any(%(columns)s) THEN u.reference_date END,
        CASE WHEN 'sex' = any(%(columns)s) THEN u.attributes ->> 'sex' END,
        CASE WHEN 'age_class' = any(%(columns)s) THEN u.attributes ->> 'age_class' END,
        CASE WHEN 'birth_year' = any(%(columns)s) THEN u.attributes ->> 'birth_year' END,
        CASE WHEN 'service' = any(%(columns)s) THEN u.attributes ->> 'service' END,
        s.kinds
)

SELECT
    sum(g.documents) AS documents,
    coalesce(sum(g.documents) FILTER (WHERE g.size = 1), 0) AS alone,
    coalesce(sum(g.documents) FILTER (WHERE g.size < 5), 0) AS under_5,
    coalesce(sum(g.documents) FILTER (WHERE g.size < 11), 0) AS under_11,
    min(g.size) AS least,
    min(g.kinds) AS kinds
FROM grouped AS g
WHERE g.documents > 0;

-- name: made_by
-- Grain: one run with published documents of the interval. Purpose: their policy, detector and key.
SELECT DISTINCT
    r.run_id, r.policy_hash, r.pipeline_version, r.detector_version, r.key_version, r.key_fingerprint
FROM deid.run AS r
INNER JOIN deid.published_document AS d ON r.run_id = d.run_id
INNER JOIN deid.release AS p ON d.release_id = p.release_id
WHERE p.interval_key = %(interval_key)s AND p.published_at IS NOT NULL
ORDER BY r.run_id;

-- name: opt_outs
-- Grain: the whole ledger. Purpose: opt-outs in force, those not applied yet, what they removed of the interval.
SELECT
    (SELECT count(*) FROM deid.opt_out AS o WHERE o.revoked_at IS NULL) AS in_force,
    (SELECT count(*) FROM deid.opt_out AS o WHERE o.revoked_at IS NULL AND o.applied_at IS NULL) AS not_applied,
    (
        SELECT coalesce(sum(m.documents), 0)
        FROM deid.removal_tally AS m
        INNER JOIN deid.release AS p ON m.release_id = p.release_id
        WHERE p.interval_key = %(interval_key)s
    ) AS removed;

-- name: patients
-- Grain: one patient with a document of the interval's release. Purpose: documents under the pseudonym in this release
-- and in all that is published.
SELECT
    count(*) FILTER (WHERE p.interval_key = %(interval_key)s) AS here,
    count(*) AS everywhere
FROM deid.published_document AS d
INNER JOIN deid.release AS p ON d.release_id = p.release_id
WHERE p.published_at IS NOT NULL
GROUP BY d.patient_id
HAVING count(*) FILTER (WHERE p.interval_key = %(interval_key)s) > 0
ORDER BY everywhere, here;

-- name: signature
-- Grain: the last signature of the audit trail. Purpose: which line it proves, and when.
SELECT s.seq, s.at, s.key_version
FROM deid.audit_signature AS s
ORDER BY s.seq DESC, s.at DESC
LIMIT 1;

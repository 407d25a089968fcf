-- name: applied
-- Grain: one opt-out. Purpose: the ledger knows it from now on.
UPDATE deid.opt_out SET applied_at = coalesce(applied_at, now()) WHERE opt_out_id = %(opt_out_id)s;

-- name: by_pseudonym
-- Grain: published documents of one release and type, of one pseudonym. Purpose: what an opt-out would remove.
SELECT d.release_id, r.interval_key, coalesce(d.document_type, '') AS document_type, count(*)::int AS documents
FROM deid.published_document AS d
INNER JOIN deid.release AS r ON d.release_id = r.release_id
WHERE d.patient_id = %(pseudonym)s
GROUP BY d.release_id, r.interval_key, coalesce(d.document_type, '')
ORDER BY d.release_id, 3;

-- name: by_source_id
-- Grain: published documents of one release and type, of one patient of the source. Purpose: what an opt-out would
-- remove.
SELECT d.release_id, r.interval_key, coalesce(d.document_type, '') AS document_type, count(*)::int AS documents
FROM deid.document AS d
INNER JOIN deid.release AS r ON d.release_id = r.release_id
WHERE d.patient_id = %(patient_id)s AND d.state = 'published'
GROUP BY d.release_id, r.interval_key, coalesce(d.document_type, '')
ORDER BY d.release_id, 3;

-- name: in_force
-- Grain: one opt-out in force. Purpose: all of them, to be applied, oldest first.
SELECT o.opt_out_id, o.pseudonym, o.patient_id, o.applied_at IS NOT NULL AS applied
FROM deid.opt_out AS o
WHERE o.revoked_at IS NULL
ORDER BY o.opt_out_id;

-- name: insert
-- Grain: one opt-out. Purpose: record it, unless the same is in force: then no row is given back.
INSERT INTO deid.opt_out (pseudonym, patient_id, asked_by, reason)
SELECT %(pseudonym)s, %(patient_id)s, %(asked_by)s, %(reason)s
WHERE NOT EXISTS (
    SELECT FROM deid.opt_out AS o
    WHERE
        o.revoked_at IS NULL
        AND (o.pseudonym = %(pseudonym)s::text OR o.patient_id = %(patient_id)s::text)
)
ON CONFLICT DO NOTHING
RETURNING opt_out_id;

-- name: match
-- Grain: one opt-out by pseudonym. Purpose: its patient at the source, so that it outlives the key.
UPDATE deid.opt_out SET patient_id = %(patient_id)s WHERE opt_out_id = %(opt_out_id)s AND patient_id IS NULL;

-- name: of_patient
-- Grain: one opt-out in force. Purpose: whether this patient of the source has objected.
SELECT o.opt_out_id
FROM deid.opted_out_patient AS o
WHERE o.patient_id = %(patient_id)s
LIMIT 1;

-- name: opted_out
-- Grain: one patient of a person with an opt-out in force, or one opt-out. Purpose: those of these patients, by the
-- source's id, by that of a merged patient, or by a pseudonym.
SELECT p.patient_id, NULL AS pseudonym
FROM deid.opted_out_patient AS p
WHERE p.patient_id = ANY(%(patient_ids)s)
UNION
SELECT NULL, o.pseudonym
FROM deid.opt_out AS o
WHERE o.revoked_at IS NULL AND o.pseudonym = ANY(%(pseudonyms)s);

-- name: persons
-- Grain: one patient id of a person with an opt-out in force. Purpose: all ids under which the person may be published.
SELECT p.opt_out_id, p.patient_id
FROM deid.opted_out_patient AS p
ORDER BY p.opt_out_id, p.patient_id;

-- name: page
-- Grain: one opt-out. Purpose: the newest first, a page at a time, or one of them; how many documents it removed.
SELECT
    o.opt_out_id, o.pseudonym, o.asked_by, o.reason, o.asked_at, o.applied_at, o.patient_id IS NOT NULL AS matched,
    o.revoked_at, o.revoked_by, o.revoked_reason,
    coalesce((
        SELECT sum(r.documents) FROM deid.opt_out_removal AS r WHERE r.opt_out_id = o.opt_out_id
    ), 0)::int AS removed
FROM deid.opt_out AS o
WHERE
    (%(before)s::bigint IS NULL OR o.opt_out_id < %(before)s)
    AND (%(opt_out_id)s::bigint IS NULL OR o.opt_out_id = %(opt_out_id)s)
ORDER BY o.opt_out_id DESC
LIMIT %(limit)s;

-- name: recheck
-- Grain: one opt-out. Purpose: a fresh look: rows that researchers read, or that wait to be visible, under the
-- pseudonyms recorded for its person, and the documents of that person in each live state of the ledger: null while
-- the patient is unknown. A person is the patient and, while the opt-out is in force, those merged with the patient.
SELECT
    greatest(
        (SELECT count(*) FROM research.document AS d WHERE d.patient_id = ANY(k.pseudonyms)),
        (SELECT count(*) FROM deid.published_document AS d WHERE d.patient_id = ANY(k.pseudonyms))
    ) AS readable,
    l.published,
    l.staged,
    l.unfinished,
    l.quarantined,
    now() AS checked_at
FROM deid.opt_out AS o
CROSS JOIN LATERAL (
    SELECT array_agg(p.patient_id) || o.patient_id AS patient_ids
    FROM deid.opted_out_patient AS p
    WHERE p.opt_out_id = o.opt_out_id
) AS w
CROSS JOIN LATERAL (
    SELECT array_agg(n.pseudonym) AS pseudonyms
    FROM deid.opt_out AS n
    WHERE n.opt_out_id = o.opt_out_id OR n.patient_id = ANY(w.patient_ids)
) AS k
LEFT JOIN LATERAL (
    SELECT
        count(*) FILTER (WHERE d.state = 'published') AS published,
        count(*) FILTER (WHERE d.state = 'staged') AS staged,
        count(*) FILTER (WHERE d.state IN ('planned', 'detected', 'substituted', 'validated')) AS unfinished,
        count(*) FILTER (WHERE d.state = 'quarantined') AS quarantined
    FROM deid.document AS d
    WHERE d.patient_id = ANY(w.patient_ids)
) AS l ON o.patient_id IS NOT NULL
WHERE o.opt_out_id = %(opt_out_id)s;

-- name: revoke
-- Grain: one opt-out in force. Purpose: it is lifted; it stays in the table and no longer holds.
UPDATE deid.opt_out
SET revoked_at = now(), revoked_by = %(revoked_by)s, revoked_reason = %(revoked_reason)s
WHERE opt_out_id = %(opt_out_id)s AND revoked_at IS NULL
RETURNING opt_out_id;

-- name: in_force_of
-- Grain: one opt-out in force. Purpose: the one of this patient, if any.
SELECT o.opt_out_id
FROM deid.opt_out AS o
WHERE
    o.revoked_at IS NULL
    AND (o.pseudonym = %(pseudonym)s::text OR o.patient_id = %(patient_id)s::text)
ORDER BY o.opt_out_id
LIMIT 1;

-- name: waiting
-- Grain: one patient of the source. Purpose: how many of the documents are on their way, or in quarantine.
SELECT count(*)::int AS documents
FROM deid.document AS d
WHERE
    d.patient_id = %(patient_id)s
    AND d.state IN ('planned', 'detected', 'substituted', 'validated', 'staged', 'quarantined');

-- name: withdraw
-- Grain: published documents of one release and type. Purpose: those of an opt-out's pseudonym leave at once.
SELECT w.release_id, w.document_type, w.documents
FROM deid.withdraw_pseudonym(%(opt_out_id)s) AS w;

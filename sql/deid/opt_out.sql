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

-- name: in_force
-- Grain: one opt-out in force. Purpose: all of them, to be applied, oldest first.
SELECT o.opt_out_id, o.pseudonym, o.patient_id, o.applied_at IS NOT NULL AS applied
FROM deid.opt_out AS o
WHERE o.revoked_at IS NULL
ORDER BY o.opt_out_id;

-- name: insert
-- Grain: one opt-out by a pseudonym. Purpose: record it, unless the same is in force: then no row is given back.
INSERT INTO deid.opt_out (pseudonym, asked_by, reason)
VALUES (%(pseudonym)s, %(asked_by)s, %(reason)s)
ON CONFLICT DO NOTHING
RETURNING opt_out_id;

-- name: insert_by_source_id
-- Grain: one opt-out by the source's patient id. Purpose: record it, whatever is recorded already.
SELECT deid.record_opt_out(%(patient_id)s, %(asked_by)s, %(reason)s) AS opt_out_id;

-- name: match
-- Grain: one opt-out by pseudonym. Purpose: its patient in the ledger, so that it outlives the key.
UPDATE deid.opt_out SET patient_id = %(patient_id)s WHERE opt_out_id = %(opt_out_id)s AND patient_id IS NULL;

-- name: of_source
-- Grain: one patient of the source. Purpose: whether the patient has objected.
SELECT deid.source_has_objected(%(patient_id)s) AS has_objected;

-- name: opted_out
-- Grain: one patient of a person with an opt-out in force, or one pseudonym. Purpose: those of these patients, by their
-- own id, by that of a merged patient, or by a pseudonym.
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
    o.opt_out_id, o.pseudonym, o.asked_by, o.reason, o.asked_at, o.applied_at, o.matched,
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
-- Grain: one opt-out. Purpose: a fresh look at what is readable and at the ledger (deid.opt_out_check).
SELECT c.readable, c.published, c.staged, c.unfinished, c.quarantined, now() AS checked_at
FROM deid.opt_out_check AS c
WHERE c.opt_out_id = %(opt_out_id)s;

-- name: resolve
-- Grain: one opt-out by the source's patient id. Purpose: its patient in the ledger, made if it was never met.
SELECT deid.resolve_opt_outs();

-- name: revoke
-- Grain: one opt-out in force. Purpose: it is lifted; it stays in the table and no longer holds.
UPDATE deid.opt_out
SET revoked_at = now(), revoked_by = %(revoked_by)s, revoked_reason = %(revoked_reason)s
WHERE opt_out_id = %(opt_out_id)s AND revoked_at IS NULL
RETURNING opt_out_id;

-- name: in_force_of
-- Grain: one opt-out in force. Purpose: the one that was recorded by this pseudonym, if any.
SELECT o.opt_out_id
FROM deid.opt_out AS o
WHERE o.revoked_at IS NULL AND o.pseudonym = %(pseudonym)s;

-- name: withdraw
-- Grain: published documents of one release and type. Purpose: those of an opt-out's pseudonym leave at once.
SELECT w.release_id, w.document_type, w.documents
FROM deid.withdraw_pseudonym(%(opt_out_id)s) AS w;

-- name: to_apply
-- Grain: all opt-outs. Purpose: how many in force no night or publication has applied yet, and since when.
SELECT count(*)::int AS opt_outs, min(o.asked_at) AS oldest
FROM deid.opt_out AS o
WHERE o.applied_at IS NULL AND o.revoked_at IS NULL;

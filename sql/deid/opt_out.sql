-- name: applied
-- Grain: one opt-out. Purpose: the ledger knows it from now on.
UPDATE deid.opt_out SET applied_at = coalesce(applied_at, now()) WHERE opt_out_id = %(opt_out_id)s;

-- name: by_pseudonym
-- Grain: one pseudonym. Purpose: how many published documents an opt-out would remove; null where the day has no more
-- questions.
SELECT deid.count_patient(%(pseudonym)s, %(steward)s) AS documents;

-- name: in_force
-- Grain: one opt-out in force. Purpose: all of them, to be applied, oldest first.
SELECT o.opt_out_id, o.pseudonym, o.patient_id, o.applied_at IS NOT NULL AS applied
FROM deid.opt_out AS o
WHERE o.revoked_at IS NULL
ORDER BY o.opt_out_id;

-- name: insert
-- Grain: one opt-out. Purpose: record it; where the same pseudonym's is in force, no row is given back. One by the
-- hospital's id, whose patient lies in `identity`, is recorded whatever is recorded already.
INSERT INTO deid.opt_out (pseudonym, asked_by, reason)
VALUES (%(pseudonym)s, %(asked_by)s, %(reason)s)
ON CONFLICT DO NOTHING
RETURNING opt_out_id;

-- name: match
-- Grain: one opt-out. Purpose: its patient in the ledger, so that one by pseudonym outlives the key.
UPDATE deid.opt_out SET patient_id = %(patient_id)s WHERE opt_out_id = %(opt_out_id)s AND patient_id IS NULL;

-- name: objected
-- Grain: one patient of the source. Purpose: whether the patient has objected.
SELECT deid.has_objected(%(opt_out_ids)s::bigint[], %(patient_id)s) AS has_objected;

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
        SELECT t.documents FROM deid.opt_out_total AS t WHERE t.opt_out_id = o.opt_out_id
    ), 0)::int AS removed
FROM deid.opt_out AS o
WHERE
    (%(before)s::bigint IS NULL OR o.opt_out_id < %(before)s)
    AND (%(opt_out_id)s::bigint IS NULL OR o.opt_out_id = %(opt_out_id)s)
ORDER BY o.opt_out_id DESC
LIMIT %(limit)s;

-- name: recheck
-- Grain: one opt-out. Purpose: a fresh look at what is readable and at the ledger; no row where the day has no more
-- questions.
SELECT c.readable, c.published, c.staged, c.unfinished, c.quarantined, c.checked_at
FROM deid.check_opt_out(%(opt_out_id)s, %(steward)s) AS c;

-- name: unresolved
-- Grain: one opt-out in force by the hospital's id. Purpose: those whose patient in the ledger is not yet known.
SELECT o.opt_out_id
FROM deid.opt_out AS o
WHERE o.patient_id IS NULL AND o.pseudonym IS NULL AND o.revoked_at IS NULL
ORDER BY o.opt_out_id;

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
-- Grain: one opt-out. Purpose: the published documents of its pseudonym leave at once; null where the day has no more
-- questions.
SELECT deid.withdraw_pseudonym(%(opt_out_id)s) AS documents;

-- name: to_apply
-- Grain: all opt-outs. Purpose: how many in force no night or publication has applied yet, and since when.
SELECT count(*)::int AS opt_outs, min(o.asked_at) AS oldest
FROM deid.opt_out AS o
WHERE o.applied_at IS NULL AND o.revoked_at IS NULL;

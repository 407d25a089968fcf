-- What the roles that do not read `identity` see and do: no time of arrival, opt-outs by the hospital's id without an
-- answer that tells whose it is, an audit trail without the hospital's ids; and what a destroyed secret takes along.

-- The time of arrival sorts the hospital's documents: only the worker reads it. A column added later is granted here.
REVOKE SELECT ON deid.document FROM nocturne_publisher, nocturne_steward;
GRANT SELECT (
    document_id, content_hash, pipeline_version, run_id, batch_id, state, patient_id, document_type, loinc_code,
    service, characters, title_clean, release_id, updated_at, durations, durations_lost
) ON deid.document TO nocturne_publisher, nocturne_steward;

-- Opt-outs. A steward names a patient by the hospital's id and learns nothing of it: neither the ledger's id, nor
-- whether the patient is known, nor an opt-out that is there already: who records one twice has two.
ALTER TABLE deid.opt_out DROP CONSTRAINT opt_out_check;
DROP INDEX deid.opt_out_source_patient;
ALTER TABLE deid.opt_out ADD COLUMN matched boolean NOT NULL GENERATED ALWAYS AS (patient_id IS NOT NULL) STORED;
REVOKE SELECT, INSERT ON deid.opt_out FROM nocturne_steward;
GRANT SELECT (
    opt_out_id, pseudonym, asked_by, reason, asked_at, applied_at, revoked_at, revoked_by, revoked_reason, login,
    revoked_login, matched
) ON deid.opt_out TO nocturne_steward;
GRANT INSERT (pseudonym, asked_by, reason) ON deid.opt_out TO nocturne_steward;
REVOKE SELECT ON deid.opted_out_patient FROM nocturne_steward;
GRANT SELECT (patient_id) ON deid.opted_out_patient TO nocturne_steward;

-- Grain: one opt-out by the hospital's id. The ledger's id is put beside it by whoever applies it: a steward who
-- records one, and takes it back in the same transaction, sees nothing change.
CREATE TABLE identity.opt_out (
    opt_out_id bigint PRIMARY KEY REFERENCES deid.opt_out,
    source_id text NOT NULL
);
INSERT INTO identity.opt_out (opt_out_id, source_id)
SELECT o.opt_out_id, m.source_id
FROM deid.opt_out AS o
INNER JOIN identity.mapping AS m ON m.kind = 'patient' AND o.patient_id = m.ledger_id
WHERE o.pseudonym IS NULL;

-- Records an opt-out by a patient id of the source, known or not, recorded before or not.
CREATE FUNCTION deid.record_opt_out(source_id text, asked_by text, reason text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    recorded bigint;
BEGIN
    INSERT INTO deid.opt_out (asked_by, reason) VALUES (record_opt_out.asked_by, record_opt_out.reason)
    RETURNING opt_out_id INTO recorded;
    INSERT INTO identity.opt_out (opt_out_id, source_id) VALUES (recorded, record_opt_out.source_id);
    RETURN recorded;
END
$$;

-- Gives the opt-outs in force that were recorded by the hospital's id the ledger's id of their patient, made if absent.
CREATE FUNCTION deid.resolve_opt_outs() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
BEGIN
    INSERT INTO identity.mapping (kind, source_id)
    SELECT DISTINCT 'patient', i.source_id
    FROM identity.opt_out AS i
    INNER JOIN deid.opt_out AS o ON i.opt_out_id = o.opt_out_id
    WHERE o.patient_id IS NULL AND o.revoked_at IS NULL
    ORDER BY i.source_id
    ON CONFLICT DO NOTHING;
    UPDATE deid.opt_out AS o SET patient_id = m.ledger_id
    FROM identity.opt_out AS i
    INNER JOIN identity.mapping AS m ON m.kind = 'patient' AND i.source_id = m.source_id
    WHERE o.opt_out_id = i.opt_out_id AND o.patient_id IS NULL AND o.revoked_at IS NULL;
END
$$;

-- Whether a patient of the source has objected, by any name and in any merged identity; for who shows an original.
CREATE FUNCTION deid.source_has_objected(source_id text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT EXISTS (
        SELECT
        FROM identity.opt_out AS i
        INNER JOIN deid.opt_out AS o ON i.opt_out_id = o.opt_out_id
        WHERE i.source_id = $1 AND o.revoked_at IS NULL
    ) OR EXISTS (
        SELECT
        FROM identity.mapping AS m
        INNER JOIN deid.opted_out_patient AS o ON m.ledger_id = o.patient_id
        WHERE m.kind = 'patient' AND m.source_id = $1
    )
$$;

-- Grain: one opt-out. Rows that researchers read, or that wait to be visible, under the pseudonyms recorded for its
-- person (the patient and, while the opt-out is in force, those merged with the patient), and the person's documents in
-- each live state of the ledger: null while the patient is unknown, and, for an opt-out by the hospital's id, unless it
-- was applied and is in force: the counts would tell whose documents they are.
CREATE VIEW deid.opt_out_check AS
SELECT
    o.opt_out_id,
    greatest(
        (SELECT count(*) FROM research.document AS d WHERE d.patient_id = ANY(k.pseudonyms)),
        (SELECT count(*) FROM deid.published_document AS d WHERE d.patient_id = ANY(k.pseudonyms))
    ) AS readable,
    l.published,
    l.staged,
    l.unfinished,
    l.quarantined
FROM deid.opt_out AS o
CROSS JOIN LATERAL (
    SELECT
        o.patient_id IS NOT NULL
        AND (o.pseudonym IS NOT NULL OR (o.applied_at IS NOT NULL AND o.revoked_at IS NULL)) AS is_told
) AS w
CROSS JOIN LATERAL (
    SELECT array_agg(p.patient_id) || o.patient_id AS patient_ids
    FROM deid.opted_out_patient AS p
    WHERE p.opt_out_id = o.opt_out_id
) AS m
CROSS JOIN LATERAL (
    SELECT array_agg(x.pseudonym) AS pseudonyms
    FROM deid.opt_out AS x
    WHERE x.opt_out_id = o.opt_out_id OR (w.is_told AND x.patient_id = ANY(m.patient_ids))
) AS k
LEFT JOIN LATERAL (
    SELECT
        count(*) FILTER (WHERE d.state = 'published') AS published,
        count(*) FILTER (WHERE d.state = 'staged') AS staged,
        count(*) FILTER (WHERE d.state IN ('planned', 'detected', 'substituted', 'validated')) AS unfinished,
        count(*) FILTER (WHERE d.state = 'quarantined') AS quarantined
    FROM deid.document AS d
    WHERE d.patient_id = ANY(m.patient_ids)
) AS l ON w.is_told;
GRANT SELECT ON deid.opt_out_check TO nocturne_steward;

-- Whether ids of an earlier version wait for their pseudonyms.
CREATE FUNCTION deid.ids_wait() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT EXISTS (SELECT FROM identity.mapping AS m WHERE NOT m.adopted)
$$;

-- A version of the secret is destroyed: what is still published under it is cut off from the ledger, and the ledger
-- from the source: every document of it, and every patient who has no other row, no document on its way and no opt-out.
CREATE FUNCTION deid.forget_key(fingerprint text) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    forgotten bigint;
BEGIN
    WITH frozen AS (
        SELECT d.document_id, d.patient_id
        FROM deid.document AS d
        INNER JOIN deid.run AS r ON d.run_id = r.run_id
        WHERE d.state = 'published' AND r.key_fingerprint = fingerprint
    )

    DELETE FROM identity.mapping AS m
    WHERE
        m.ledger_id IN (SELECT f.document_id FROM frozen AS f)
        OR (
            m.ledger_id IN (SELECT f.patient_id FROM frozen AS f)
            AND NOT EXISTS (SELECT FROM deid.opted_out_patient AS o WHERE o.patient_id = m.ledger_id)
            AND NOT EXISTS (
                SELECT
                FROM deid.document AS d
                INNER JOIN deid.run AS r ON d.run_id = r.run_id
                WHERE
                    d.patient_id = m.ledger_id AND d.state NOT IN ('superseded', 'withdrawn')
                    AND (d.state <> 'published' OR r.key_fingerprint <> fingerprint)
            )
        );
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    DELETE FROM deid.pseudonym AS p WHERE p.key_fingerprint = fingerprint;
    RETURN forgotten;
END
$$;

-- The audit trail. Lines written before this version may name the hospital's ids, and their digests confirm a guess:
-- the worker sees them, the others what came after. `withheld`: the number of the last line of them.
CREATE VIEW deid.audit_trail AS
SELECT a.seq, a.at, a.actor, a.action, a.object, a.details, a.login, a.previous, a.digest, f.seq AS withheld
FROM deid.audit AS a
CROSS JOIN identity.audit_floor AS f
WHERE a.seq > f.seq;
REVOKE SELECT ON deid.audit, deid.audit_signature FROM nocturne_steward, nocturne_publisher;
GRANT SELECT (signature_id, seq, lines, at, key_version, key_fingerprint) ON deid.audit_signature
TO nocturne_publisher, nocturne_steward;
GRANT SELECT ON deid.audit_trail TO nocturne_steward, nocturne_publisher;
GRANT SELECT ON deid.audit, deid.audit_signature TO nocturne_worker;

-- The first line that does not follow from the one before it: a number left out, a link to another line, or a content
-- that is not the digest's. Null for an intact trail.
CREATE FUNCTION deid.audit_broken() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT min(c.seq)
    FROM (
        SELECT
            a.seq,
            a.previous = lag(a.digest, 1, '') OVER ordered AS linked,
            a.seq = lag(a.seq, 1, 0::bigint) OVER ordered + 1 AS counted,
            a.digest = encode(sha256(convert_to(
                deid.audit_line(a.seq, a.at, a.actor, a.action, a.object, a.details, a.login, a.previous), 'UTF8'
            )), 'hex') AS hashed
        FROM deid.audit AS a
        WINDOW ordered AS (ORDER BY a.seq)
    ) AS c
    WHERE NOT (c.linked AND c.counted AND c.hashed)
$$;

REVOKE ALL ON FUNCTION
deid.record_opt_out(text, text, text), deid.resolve_opt_outs(), deid.ids_wait(),
deid.forget_key(text), deid.audit_broken(), deid.source_has_objected(text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.record_opt_out(text, text, text) TO nocturne_steward;
GRANT EXECUTE ON FUNCTION deid.ids_wait(), deid.resolve_opt_outs() TO nocturne_worker, nocturne_publisher;
GRANT EXECUTE ON FUNCTION deid.forget_key(text) TO nocturne_worker;
GRANT EXECUTE ON FUNCTION deid.source_has_objected(text) TO nocturne_reader;
GRANT EXECUTE ON FUNCTION deid.audit_broken() TO nocturne_worker, nocturne_publisher, nocturne_steward;

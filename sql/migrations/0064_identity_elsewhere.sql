-- The schema `identity` may lie in another database than the ledger (docs/operators.md, “The hospital's ids in another
-- database”): no constraint, function, view or statement reaches from one into the other. Processes carry ids of the
-- ledger and numbers of opt-outs between them.

-- An opt-out's patient is written before the opt-out is committed, through another connection.
ALTER TABLE identity.opt_out DROP CONSTRAINT opt_out_opt_out_id_fkey;
-- A number of the audit trail, which is the ledger's.
ALTER TABLE identity.audit_floor SET SCHEMA deid;

DROP FUNCTION deid.record_opt_out(text, text, text);
DROP FUNCTION deid.resolve_opt_outs();
DROP FUNCTION deid.source_has_objected(text);
DROP FUNCTION deid.ids_wait();
DROP FUNCTION deid.forget_key(text);

-- Keeps the patient of an opt-out by the hospital's id, known or not; says nothing.
CREATE FUNCTION identity.record_opt_out(opt_out_id bigint, source_id text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
    INSERT INTO identity.opt_out (opt_out_id, source_id) VALUES ($1, $2)
$$;

-- The ledger's id of the patient of each of some opt-outs by the hospital's id, made if absent.
CREATE FUNCTION identity.resolve_opt_outs(opt_out_ids bigint[]) RETURNS TABLE (opt_out_id bigint, patient_id text)
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
    INSERT INTO identity.mapping (kind, source_id)
    SELECT DISTINCT 'patient', i.source_id
    FROM identity.opt_out AS i
    WHERE i.opt_out_id = ANY($1)
    ORDER BY i.source_id
    ON CONFLICT DO NOTHING;
    SELECT i.opt_out_id, m.ledger_id
    FROM identity.opt_out AS i
    INNER JOIN identity.mapping AS m ON m.kind = 'patient' AND i.source_id = m.source_id
    WHERE i.opt_out_id = ANY($1)
    ORDER BY i.opt_out_id
$$;

-- The opt-outs recorded by a patient id of the source, and the ledger's id; for who shows an original.
CREATE FUNCTION identity.opt_outs_of(source_id text) RETURNS TABLE (opt_out_ids bigint[], patient_id text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT
        coalesce((SELECT array_agg(i.opt_out_id) FROM identity.opt_out AS i WHERE i.source_id = $1), '{}'),
        (SELECT m.ledger_id FROM identity.mapping AS m WHERE m.kind = 'patient' AND m.source_id = $1)
$$;

-- Whether one of these opt-outs is in force, or the patient has objected by any name and in any merged identity.
CREATE FUNCTION deid.has_objected(opt_out_ids bigint[], patient_id text) RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT
        EXISTS (SELECT FROM deid.opt_out AS o WHERE o.opt_out_id = ANY($1) AND o.revoked_at IS NULL)
        OR EXISTS (SELECT FROM deid.opted_out_patient AS o WHERE o.patient_id = $2)
$$;

-- Whether ids of an earlier version wait for their pseudonyms.
CREATE FUNCTION identity.ids_wait() RETURNS boolean
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT EXISTS (SELECT FROM identity.mapping AS m WHERE NOT m.adopted)
$$;

-- A version of the secret is destroyed: what is still published under it is cut off from the ledger. Gives the ids of
-- the ledger to cut off from the source: every document of it, and every patient who has no other row, no document on
-- its way and no opt-out. A second call gives the same.
CREATE FUNCTION deid.forget_key(fingerprint text) RETURNS SETOF text
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
    DELETE FROM deid.pseudonym AS p WHERE p.key_fingerprint = $1;
    WITH frozen AS (
        SELECT d.document_id, d.patient_id
        FROM deid.document AS d
        INNER JOIN deid.run AS r ON d.run_id = r.run_id
        WHERE d.state = 'published' AND r.key_fingerprint = $1
    )

    SELECT f.document_id FROM frozen AS f
    UNION
    SELECT f.patient_id
    FROM frozen AS f
    WHERE
        f.patient_id IS NOT NULL
        AND NOT EXISTS (SELECT FROM deid.opted_out_patient AS o WHERE o.patient_id = f.patient_id)
        AND NOT EXISTS (
            SELECT
            FROM deid.document AS d
            INNER JOIN deid.run AS r ON d.run_id = r.run_id
            WHERE
                d.patient_id = f.patient_id AND d.state NOT IN ('superseded', 'withdrawn')
                AND (d.state <> 'published' OR r.key_fingerprint <> $1)
        )
$$;

CREATE FUNCTION identity.forget(ledger_ids text[]) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
    DELETE FROM identity.mapping AS m WHERE m.ledger_id = ANY($1)
$$;

REVOKE ALL ON FUNCTION
identity.record_opt_out(bigint, text), identity.resolve_opt_outs(bigint[]), identity.opt_outs_of(text),
identity.ids_wait(), identity.forget(text[]), deid.has_objected(bigint[], text), deid.forget_key(text) FROM PUBLIC;
GRANT USAGE ON SCHEMA identity TO nocturne_publisher, nocturne_steward;
GRANT EXECUTE ON FUNCTION identity.record_opt_out(bigint, text) TO nocturne_steward;
GRANT EXECUTE ON FUNCTION identity.resolve_opt_outs(bigint[]), identity.ids_wait()
TO nocturne_worker, nocturne_publisher;
GRANT EXECUTE ON FUNCTION identity.opt_outs_of(text), deid.has_objected(bigint[], text) TO nocturne_reader;
GRANT EXECUTE ON FUNCTION identity.forget(text[]), deid.forget_key(text) TO nocturne_worker;

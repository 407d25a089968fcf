-- Digests of staged contents are salted while they are needed, and erased once their release is complete, or the run
-- was sent back or replaced: an unkeyed digest over the source's ids would let whoever reads it test a guess of them.

-- Grain: one run that waits to be published. Neither stewards nor researchers read it.
CREATE TABLE deid.staging_salt (
    run_id bigint PRIMARY KEY REFERENCES deid.run,
    salt text NOT NULL DEFAULT gen_random_uuid()::text || gen_random_uuid()::text
);
GRANT SELECT, INSERT ON deid.staging_salt TO nocturne_worker;
GRANT SELECT ON deid.staging_salt TO nocturne_publisher;

-- Worker and publisher may erase the digests of runs that wait no longer, and no others.
CREATE FUNCTION deid.forget_digests() RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog AS $$
    WITH unsalted AS (
        DELETE FROM deid.staging_salt AS t USING deid.run AS r
        WHERE t.run_id = r.run_id AND r.state IN ('published', 'superseded')
    )

    DELETE FROM deid.staged_content AS s USING deid.run AS r
    WHERE s.run_id = r.run_id AND r.state IN ('published', 'superseded')
$$;
REVOKE ALL ON FUNCTION deid.forget_digests() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.forget_digests() TO nocturne_worker, nocturne_publisher;

DROP FUNCTION deid.content_digest(text, text, text, text, text, text, text, text, date);

-- Everything of a document that publication writes and that is not a stamp of the run, behind the run's salt.
CREATE FUNCTION deid.content_digest(
    salt text, content_hash text, patient_id text, stay_id text, document_type text, loinc_code text, title text,
    text text, markup text, reference_date date
) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to(jsonb_build_array($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)::text, 'UTF8')), 'hex')
$$;

CREATE OR REPLACE FUNCTION deid.run_digest(run bigint) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT encode(sha256(convert_to(
        coalesce((SELECT t.salt FROM deid.staging_salt AS t WHERE t.run_id = run), '') || coalesce(jsonb_agg(
            jsonb_build_array(s.document_id, s.withdrawn, s.digest) ORDER BY s.document_id COLLATE "C", s.withdrawn
        ), '[]')::text, 'UTF8')), 'hex')
    FROM deid.staged_content AS s
    WHERE s.run_id = run
$$;

-- What waits is digested anew, so that an approval under way is asked again; what is published keeps no digest.
INSERT INTO deid.staging_salt (run_id) SELECT r.run_id FROM deid.run AS r WHERE r.state = 'staged';
DELETE FROM deid.staged_content AS s
USING deid.run AS r
WHERE s.run_id = r.run_id AND r.state <> 'staged';
UPDATE deid.staged_content AS s
SET digest = deid.content_digest(
    t.salt, d.content_hash, c.patient_id, c.stay_id, d.document_type, d.loinc_code, c.title, c.text, c.markup,
    c.reference_date
)
FROM deid.staging_salt AS t, deid.document AS d, deid.candidate AS c
WHERE
    s.run_id = t.run_id AND NOT s.withdrawn
    AND d.run_id = s.run_id AND d.document_id = s.document_id
    AND c.run_id = s.run_id AND c.document_id = s.document_id;
UPDATE deid.run SET staged_digest = deid.run_digest(run_id) WHERE state = 'staged';

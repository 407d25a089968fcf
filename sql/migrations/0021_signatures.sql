-- Signatures of the audit trail. The chain shows a line that was changed, not one that was cut off at its end, nor a
-- chain that was computed anew from its first line: whoever owns the database can do both. A process that holds the
-- secret signs the last line each night, here, in a file and in the log.

-- Grain: one signature of the last line of the trail at one moment; never changed. `at` as it was signed.
CREATE TABLE deid.audit_signature (
    signature_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    seq bigint NOT NULL,
    digest text NOT NULL,
    lines bigint NOT NULL,
    at text NOT NULL,
    key_version int NOT NULL,
    key_fingerprint text NOT NULL,
    hmac text NOT NULL UNIQUE
);
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON deid.audit_signature
FOR EACH STATEMENT EXECUTE FUNCTION deid.refuse_rewriting();

-- The last line's number and digest, and the number of lines, for roles that do not read the trail.
CREATE FUNCTION deid.audit_head() RETURNS TABLE (seq bigint, digest text, lines bigint)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT a.seq, a.digest, (SELECT count(*) FROM deid.audit)
    FROM deid.audit AS a
    ORDER BY a.seq DESC
    LIMIT 1
$$;
REVOKE ALL ON FUNCTION deid.audit_head() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.audit_head() TO nocturne_worker, nocturne_publisher, nocturne_steward;
GRANT INSERT ON deid.audit_signature TO nocturne_worker, nocturne_publisher;
GRANT SELECT ON deid.audit_signature TO nocturne_publisher, nocturne_steward;

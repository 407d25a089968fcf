-- Random ids in the ledger. `identity` alone says which document, patient or stay of the hospital each one stands for;
-- who does not read originals does not read it. Pseudonyms of the research schema are drawn by the worker, from the
-- hospital's ids, and kept, encrypted under the secret, beside the ledger's.

CREATE SCHEMA identity;

-- Grain: one document, patient or stay of the source. `adopted`: false for what a version without this table had in its
-- ledger, until a worker has computed its pseudonyms.
CREATE TABLE identity.mapping (
    kind text NOT NULL CHECK (kind IN ('document', 'patient', 'stay')),
    source_id text NOT NULL,
    ledger_id text NOT NULL UNIQUE
    DEFAULT left(encode(sha256(convert_to(gen_random_uuid()::text, 'UTF8')), 'hex'), 20),
    adopted boolean NOT NULL DEFAULT true,
    PRIMARY KEY (kind, source_id)
);
CREATE INDEX mapping_to_adopt ON identity.mapping (ledger_id) WHERE NOT adopted;

-- Grain: one row. What the digests of contents are salted with, so that nobody else can test a guess of one.
CREATE TABLE identity.salt (salt text NOT NULL DEFAULT gen_random_uuid()::text || gen_random_uuid()::text);
INSERT INTO identity.salt DEFAULT VALUES;

-- Grain: one row. The last line of the audit trail that may name the hospital's ids.
CREATE TABLE identity.audit_floor (seq bigint NOT NULL);
INSERT INTO identity.audit_floor SELECT coalesce(max(a.seq), 0) FROM deid.audit AS a;

GRANT USAGE ON SCHEMA identity TO nocturne_reader, nocturne_worker;
GRANT SELECT ON identity.mapping, identity.salt TO nocturne_reader, nocturne_worker;
GRANT INSERT (kind, source_id), UPDATE (adopted) ON identity.mapping TO nocturne_worker;
GRANT USAGE ON SCHEMA deid TO nocturne_reader;
GRANT EXECUTE ON FUNCTION deid.audit_append(text, text, text, jsonb) TO nocturne_reader;

-- Grain: one document, patient or stay of the ledger, under one version of the secret, which encrypts the pseudonym.
CREATE TABLE deid.pseudonym (
    kind text NOT NULL,
    ledger_id text NOT NULL,
    key_fingerprint text NOT NULL,
    encrypted text NOT NULL,
    PRIMARY KEY (kind, ledger_id, key_fingerprint)
);
GRANT SELECT, INSERT ON deid.pseudonym TO nocturne_worker;
GRANT SELECT ON deid.pseudonym TO nocturne_publisher;

-- What the ledger has so far is renamed everywhere.
INSERT INTO identity.mapping (kind, source_id, adopted)
SELECT 'document', k.document_id, false
FROM (
    SELECT document_id FROM deid.document
    UNION
    SELECT document_id FROM deid.mention
    UNION
    SELECT document_id FROM deid.candidate
    UNION
    SELECT document_id FROM deid.verdict
    UNION
    SELECT document_id FROM deid.quarantine
    UNION
    SELECT document_id FROM deid.quarantine_choice
    UNION
    SELECT document_id FROM deid.budget
    UNION
    SELECT document_id FROM deid.withdrawal
    UNION
    SELECT document_id FROM deid.staged_content
    UNION
    SELECT document_id FROM deid.review_document
    UNION
    SELECT document_id FROM deid.annotation
) AS k;
INSERT INTO identity.mapping (kind, source_id, adopted)
SELECT 'patient', k.patient_id, false
FROM (
    SELECT patient_id FROM deid.document
    UNION
    SELECT patient_id FROM deid.candidate
    UNION
    SELECT patient_id FROM deid.budget
    UNION
    SELECT patient_id FROM deid.opt_out
    UNION
    SELECT patient_id FROM deid.patient_merge
    UNION
    SELECT merged_into FROM deid.patient_merge
) AS k
WHERE k.patient_id IS NOT NULL;
INSERT INTO identity.mapping (kind, source_id, adopted)
SELECT DISTINCT 'stay', c.stay_id, false
FROM deid.candidate AS c
WHERE c.stay_id IS NOT NULL;

CREATE FUNCTION identity.renamed(kind text, source_id text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT m.ledger_id FROM identity.mapping AS m WHERE m.kind = $1 AND m.source_id = $2
$$;
CREATE FUNCTION identity.salted(content_hash text) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE
        WHEN $1 = '' THEN ''
        ELSE encode(sha256(convert_to((SELECT s.salt FROM identity.salt AS s) || $1, 'UTF8')), 'hex')
    END
$$;

-- Grain: one digest that was discarded before this version, maybe before versions were named by their patient.
CREATE TABLE identity.discarded (salted text PRIMARY KEY, digest text NOT NULL);
INSERT INTO identity.discarded
SELECT DISTINCT identity.salted(q.content_hash), q.content_hash FROM deid.quarantine AS q WHERE q.standing = 'discard';
GRANT SELECT ON identity.discarded TO nocturne_worker;

ALTER TABLE deid.document DISABLE TRIGGER USER; -- a document that changes its name has changed nothing else
UPDATE deid.document SET
    document_id = identity.renamed('document', document_id),
    patient_id = identity.renamed('patient', patient_id),
    content_hash = identity.salted(content_hash);
-- Batches were cut in the order of arrival. Those of finished runs are cut anew, of the same sizes.
UPDATE deid.document AS d SET batch_id = s.batch_id
FROM (
    SELECT k.document_id, k.content_hash, k.pipeline_version, b.batch_id
    FROM (
        SELECT
            o.document_id, o.content_hash, o.pipeline_version, o.run_id,
            row_number() OVER (PARTITION BY o.run_id ORDER BY o.document_id) AS place
        FROM deid.document AS o
    ) AS k
    INNER JOIN (
        SELECT o.run_id, o.batch_id, row_number() OVER (PARTITION BY o.run_id ORDER BY o.batch_id) AS place
        FROM deid.document AS o
    ) AS b ON k.run_id = b.run_id AND k.place = b.place
    INNER JOIN deid.run AS r ON k.run_id = r.run_id AND r.state <> 'planned'
) AS s
WHERE
    d.document_id = s.document_id AND d.content_hash = s.content_hash AND d.pipeline_version = s.pipeline_version;
ALTER TABLE deid.document ENABLE TRIGGER USER;
UPDATE deid.mention SET document_id = identity.renamed('document', document_id);
UPDATE deid.verdict SET document_id = identity.renamed('document', document_id);
UPDATE deid.withdrawal SET document_id = identity.renamed('document', document_id);
UPDATE deid.candidate SET
    document_id = identity.renamed('document', document_id),
    patient_id = identity.renamed('patient', patient_id),
    stay_id = identity.renamed('stay', stay_id);
UPDATE deid.budget SET
    document_id = identity.renamed('document', document_id),
    patient_id = identity.renamed('patient', patient_id),
    content_hash = identity.salted(content_hash);
UPDATE deid.quarantine SET
    document_id = identity.renamed('document', document_id), content_hash = identity.salted(content_hash);
UPDATE deid.quarantine_choice SET
    document_id = identity.renamed('document', document_id), content_hash = identity.salted(content_hash);
UPDATE deid.review_document SET
    document_id = identity.renamed('document', document_id), content_hash = identity.salted(content_hash);
UPDATE deid.annotation SET
    document_id = identity.renamed('document', document_id), content_hash = identity.salted(content_hash);
UPDATE deid.opt_out SET patient_id = identity.renamed('patient', patient_id) WHERE patient_id IS NOT NULL;
UPDATE deid.patient_merge SET
    patient_id = identity.renamed('patient', patient_id), merged_into = identity.renamed('patient', merged_into);
UPDATE deid.staged_content SET document_id = identity.renamed('document', document_id);

-- What waits is digested anew, as in 0018. Every other digest over the hospital's ids is salted: an equality stays one.
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
UPDATE deid.run SET staged_digest = identity.salted(staged_digest) WHERE staged_digest IS NOT NULL;
UPDATE deid.run SET staged_digest = deid.run_digest(run_id) WHERE state = 'staged';
UPDATE deid.release SET staged_digest = identity.salted(staged_digest);
UPDATE deid.decision SET staged_digest = identity.salted(staged_digest);
UPDATE deid.question SET staged_digest = identity.salted(staged_digest);
-- A sample drawn so far lies in the order of its seed and the hospital's ids: whoever guesses these must lack the seed.
UPDATE deid.review SET staged_digest = identity.salted(staged_digest), seed = '';
DROP FUNCTION identity.renamed(text, text);
DROP FUNCTION identity.salted(text);

-- Neither the place of a row nor the statistics of a table keep the order of the hospital's ids.
CREATE INDEX quarantine_choice_apart ON deid.quarantine_choice (document_id);
CLUSTER deid.document USING document_pkey;
CLUSTER deid.mention USING mention_pkey;
CLUSTER deid.verdict USING verdict_pkey;
CLUSTER deid.withdrawal USING withdrawal_pkey;
CLUSTER deid.candidate USING candidate_pkey;
CLUSTER deid.budget USING budget_pkey;
CLUSTER deid.quarantine USING quarantine_pkey;
CLUSTER deid.quarantine_choice USING quarantine_choice_apart;
CLUSTER deid.review_document USING review_document_pkey;
CLUSTER deid.annotation USING annotation_document;
CLUSTER deid.patient_merge USING patient_merge_pkey;
CLUSTER deid.staged_content USING staged_content_pkey;
CLUSTER deid.published_document USING published_document_pkey;
CLUSTER research.document USING document_pkey;
DROP INDEX deid.quarantine_choice_apart;
ANALYZE deid.document, deid.mention, deid.verdict, deid.withdrawal, deid.candidate, deid.budget, deid.quarantine,
deid.quarantine_choice, deid.review, deid.review_document, deid.annotation, deid.opt_out, deid.patient_merge,
deid.staged_content, deid.run, deid.release, deid.decision, deid.question, deid.published_document, research.document;

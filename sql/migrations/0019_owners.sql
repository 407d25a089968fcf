-- Whose a document is: its version includes its patient, merged patients are one person, and an opt-out holds for the
-- whole person.

-- Grain: one patient of the source and one other into whom the patient was merged, as the source says now.
CREATE TABLE deid.patient_merge (
    patient_id text NOT NULL,
    merged_into text NOT NULL,
    PRIMARY KEY (patient_id, merged_into)
);
CREATE INDEX patient_merge_into ON deid.patient_merge (merged_into);
GRANT SELECT, INSERT, DELETE ON deid.patient_merge TO nocturne_worker;
GRANT SELECT ON deid.patient_merge TO nocturne_publisher, nocturne_steward;

-- Grain: one patient id of a person with an opt-out in force: the patient's own, and those merged in either direction.
CREATE VIEW deid.opted_out_patient AS
WITH RECURSIVE person AS (
    SELECT o.opt_out_id, o.patient_id
    FROM deid.opt_out AS o
    WHERE o.revoked_at IS NULL AND o.patient_id IS NOT NULL
    UNION
    SELECT p.opt_out_id, m.other
    FROM person AS p
    INNER JOIN (
        SELECT a.patient_id, a.merged_into AS other FROM deid.patient_merge AS a
        UNION ALL
        SELECT b.merged_into, b.patient_id FROM deid.patient_merge AS b
    ) AS m ON p.patient_id = m.patient_id
)

SELECT p.opt_out_id, p.patient_id FROM person AS p;
GRANT SELECT ON deid.opted_out_patient TO nocturne_worker, nocturne_publisher, nocturne_steward;

-- Versions known so far, with the patient that the ledger knows of each. A version whose patient was never learnt keeps
-- the digest of its content: what a person discarded is left out by its content (sql/deid/document.sql, filter_new).
CREATE TEMPORARY TABLE owned_version ON COMMIT DROP AS
SELECT
    d.document_id,
    d.content_hash,
    encode(sha256(convert_to(d.content_hash || E'\n' || max(d.patient_id), 'UTF8')), 'hex') AS version
FROM deid.document AS d
GROUP BY d.document_id, d.content_hash
HAVING max(d.patient_id) IS NOT NULL;
ALTER TABLE deid.document DISABLE TRIGGER settle_update; -- a version that changes its name has not left the quarantine
UPDATE deid.document AS t SET content_hash = v.version
FROM owned_version AS v WHERE t.document_id = v.document_id AND t.content_hash = v.content_hash;
UPDATE deid.quarantine AS t SET content_hash = v.version
FROM owned_version AS v WHERE t.document_id = v.document_id AND t.content_hash = v.content_hash;
UPDATE deid.quarantine_choice AS t SET content_hash = v.version
FROM owned_version AS v WHERE t.document_id = v.document_id AND t.content_hash = v.content_hash;
UPDATE deid.review_document AS t SET content_hash = v.version
FROM owned_version AS v WHERE t.document_id = v.document_id AND t.content_hash = v.content_hash;
UPDATE deid.annotation AS t SET content_hash = v.version
FROM owned_version AS v WHERE t.document_id = v.document_id AND t.content_hash = v.content_hash;
UPDATE deid.budget AS t SET content_hash = v.version
FROM owned_version AS v WHERE t.document_id = v.document_id AND t.content_hash = v.content_hash;
DROP TABLE owned_version;
ALTER TABLE deid.document ENABLE TRIGGER settle_update;

-- What waits is digested anew, as in 0018.
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

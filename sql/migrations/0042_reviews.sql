-- Reviews whose sample grows, and the time that each reading took.

-- Grain: one document of a review that can still be read: its text is there, and neither the source nor its patient has
-- taken it back.
CREATE VIEW deid.readable_document WITH (security_invoker = true) AS
SELECT
    d.review_id,
    d.ordinal
FROM deid.review_document AS d
WHERE
    d.text IS NOT NULL
    AND NOT EXISTS (
        SELECT FROM deid.withdrawal AS w WHERE w.document_id = d.document_id AND w.run_id >= d.run_id
    )
    AND NOT EXISTS (
        SELECT
        FROM deid.document AS p
        INNER JOIN deid.opted_out_patient AS o ON p.patient_id = o.patient_id
        WHERE p.document_id = d.document_id
    );
GRANT SELECT ON deid.readable_document TO nocturne_publisher, nocturne_steward;

-- A sample grows by the next documents of the order that its seed gives.
GRANT UPDATE (sample) ON deid.review TO nocturne_steward;

-- `seconds`: from the opening of the text, or from the person's reading before it if that ended later, to its end; null
-- for readings from before this migration. `fast`: faster than the policy allowed then; it counts as no reading, and
-- the document is read again.
ALTER TABLE deid.review_reading
ADD COLUMN seconds double precision CHECK (seconds >= 0),
ADD COLUMN fast boolean NOT NULL DEFAULT false;
GRANT UPDATE (started_at, seconds, fast) ON deid.review_reading TO nocturne_steward;

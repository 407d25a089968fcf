-- Grain: one line of the audit trail that does not follow from the one before it. Purpose: find the first break: a
-- number left out, a link to another line, or a content that is not the digest's.
WITH chained AS (
    SELECT
        a.seq,
        a.previous = lag(a.digest, 1, '') OVER ordered AS linked,
        a.seq = lag(a.seq, 1, 0::bigint) OVER ordered + 1 AS counted,
        a.digest = encode(sha256(convert_to(
            deid.audit_line(a.seq, a.at, a.actor, a.action, a.object, a.details, a.previous), 'UTF8'
        )), 'hex') AS sealed
    FROM deid.audit AS a
    WINDOW ordered AS (ORDER BY a.seq)
)

SELECT c.seq FROM chained AS c WHERE NOT (c.linked AND c.counted AND c.sealed) ORDER BY c.seq LIMIT 1

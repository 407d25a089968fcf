-- Grain: one line of the audit trail, oldest first. Purpose: the exact line whose SHA-256 is the digest, and the
-- digest.
SELECT deid.audit_line(a.seq, a.at, a.actor, a.action, a.object, a.details, a.previous), a.digest
FROM deid.audit AS a
ORDER BY a.seq

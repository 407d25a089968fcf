-- name: head
-- Grain: the last line of the audit trail. Purpose: what a signature signs; no row for an empty trail.
SELECT h.seq, h.digest, h.lines FROM deid.audit_head() AS h;

-- name: insert
-- Grain: one signature. Purpose: keep it beside the trail.
INSERT INTO deid.audit_signature (seq, digest, lines, at, key_version, key_fingerprint, hmac)
VALUES (%(seq)s, %(digest)s, %(lines)s, %(at)s, %(key_version)s, %(key_fingerprint)s, %(hmac)s);

-- name: list
-- Grain: one signature, oldest first. Purpose: what the trail is checked against.
SELECT s.seq, s.digest, s.lines, s.at, s.key_version, s.key_fingerprint, s.hmac
FROM deid.audit_signature AS s
ORDER BY s.signature_id;

-- name: lines
-- Grain: one line of the trail that some signature names. Purpose: its digest now, and how many lines come up to it.
WITH numbered AS (
    SELECT a.seq, a.digest, row_number() OVER (ORDER BY a.seq) AS lines FROM deid.audit AS a
)

SELECT n.seq, n.digest, n.lines FROM numbered AS n WHERE n.seq = ANY(%(seqs)s::bigint[]);

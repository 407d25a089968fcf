-- Grain: one document version that an interval holds back. Purpose: its id under its reason, at most `most` per reason.
WITH held AS (
    SELECT q.reason, q.run_id, q.document_id, row_number() OVER (PARTITION BY q.reason ORDER BY q.document_id) AS place
    FROM deid.quarantine AS q
    INNER JOIN deid.document AS d
        ON q.run_id = d.run_id AND q.document_id = d.document_id AND q.content_hash = d.content_hash
    INNER JOIN deid.run AS r ON q.run_id = r.run_id
    WHERE r.interval_key = %(interval_key)s AND NOT r.dry_run AND d.state = 'quarantined'
)

SELECT h.reason, h.run_id, h.document_id FROM held AS h WHERE h.place <= %(most)s ORDER BY h.reason, h.document_id

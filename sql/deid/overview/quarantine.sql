-- Grain: one reason. Purpose: how many documents it holds back now, each under the reason of its latest version.
WITH latest AS (
    SELECT DISTINCT ON (q.document_id) q.document_id, q.reason
    FROM deid.quarantine AS q
    WHERE NOT EXISTS (
        SELECT FROM deid.document AS d
        WHERE d.document_id = q.document_id AND d.state <> 'quarantined' AND d.state <> 'superseded'
    )
    ORDER BY q.document_id ASC, q.run_id DESC
)

SELECT l.reason, count(*) AS documents
FROM latest AS l
GROUP BY l.reason
ORDER BY documents DESC, l.reason

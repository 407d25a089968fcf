-- Grain: one reason. Purpose: how many documents it holds back now.
SELECT q.reason, count(*) AS documents
FROM deid.quarantine AS q
INNER JOIN deid.document AS d
    ON q.run_id = d.run_id AND q.document_id = d.document_id AND q.content_hash = d.content_hash
WHERE d.state = 'quarantined'
GROUP BY q.reason
ORDER BY documents DESC, q.reason

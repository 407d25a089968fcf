-- Grain: one reason at one step. Purpose: how many documents it holds back.
SELECT q.reason, q.step, count(*) AS documents
FROM deid.quarantine AS q
INNER JOIN deid.document AS d
    ON q.run_id = d.run_id AND q.document_id = d.document_id AND q.content_hash = d.content_hash
WHERE q.run_id = ANY(%(run_ids)s) AND d.state = 'quarantined'
GROUP BY q.reason, q.step
ORDER BY 3 DESC, 1, 2

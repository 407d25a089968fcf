-- Grain: the whole ledger. Purpose: how many documents there are, by where they stand now.
SELECT
    count(DISTINCT d.document_id) AS documents,
    count(*) FILTER (WHERE d.state = 'published') AS published,
    count(*) FILTER (WHERE d.state = 'superseded') AS superseded,
    count(*) FILTER (WHERE d.state = 'withdrawn') AS withdrawn,
    count(*) FILTER (WHERE d.state = 'quarantined') AS quarantined,
    count(*) FILTER (WHERE d.state = 'staged') AS waiting,
    count(*) FILTER (WHERE d.state IN ('planned', 'detected', 'substituted', 'validated')) AS unfinished
FROM deid.document AS d

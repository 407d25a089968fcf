-- Grain: one reason. Purpose: how many documents wait for a person, counted no further than anybody would read. The
-- order is the index's: without it a rare reason would have the planner read the whole table.
SELECT a.reason, n.documents
FROM unnest(%(reasons)s::text[]) AS a (reason)
CROSS JOIN LATERAL (
    SELECT count(*) AS documents
    FROM (
        SELECT FROM deid.quarantine AS q
        WHERE q.standing = 'waiting' AND q.reason = a.reason
        ORDER BY q.at DESC
        LIMIT %(most)s
    ) AS counted
) AS n
WHERE n.documents > 0
ORDER BY n.documents DESC, a.reason

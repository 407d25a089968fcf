-- name: asked
-- Grain: one document version of a run. Purpose: from which source it came, whether it was withdrawn since, and the
-- length of the text that the run searched.
SELECT
    r.source,
    (
        SELECT max(s.characters)
        FROM deid.shown_document AS s
        WHERE
            s.run_id = r.run_id AND s.document_id = %(document_id)s AND s.content_hash = %(content_hash)s
    ) AS characters,
    bool_or(d.state = 'withdrawn') AS withdrawn
FROM deid.run AS r
INNER JOIN deid.document AS d ON d.document_id = %(document_id)s AND d.content_hash = %(content_hash)s
WHERE r.run_id = %(run_id)s
GROUP BY r.source, r.run_id;

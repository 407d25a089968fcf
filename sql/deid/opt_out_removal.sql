-- name: insert
-- Grain: published documents of one release and type. Purpose: what an opt-out removed.
INSERT INTO deid.opt_out_removal (opt_out_id, release_id, document_type, documents)
VALUES (%(opt_out_id)s, %(release_id)s, %(document_type)s, %(documents)s);

-- name: of_opt_out
-- Grain: published documents of one release and type. Purpose: what one opt-out removed, in all.
SELECT m.release_id, r.interval_key, m.document_type, sum(m.documents)::int AS documents
FROM deid.opt_out_removal AS m
LEFT JOIN deid.release AS r ON m.release_id = r.release_id
WHERE m.opt_out_id = %(opt_out_id)s
GROUP BY m.release_id, r.interval_key, m.document_type
ORDER BY m.release_id, m.document_type;

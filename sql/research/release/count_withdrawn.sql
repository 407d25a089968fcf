-- Grain: one release. Purpose: keep the number of documents it removed, whatever happens to the process.
UPDATE research.release
SET counts = counts || jsonb_build_object('withdrawn', coalesce((counts ->> 'withdrawn')::int, 0) + %(removed)s)
WHERE release_id = %(release_id)s

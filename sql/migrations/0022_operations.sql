-- Nights held by a run that died: which other runs held documents when a run was planned, and when a person declared
-- a run dead. A run that shows a later sign of life (active_at) is no longer dead.

-- held: [{"run_id", "triggered_by", "active_at", "documents"}], as planning found them.
ALTER TABLE deid.run
ADD COLUMN held jsonb NOT NULL DEFAULT '[]',
ADD COLUMN taken_over_at timestamptz;

-- True if a run that is not finished is taken for dead: no sign of life for so many seconds, or declared so since.
CREATE FUNCTION deid.run_is_dead(active_at timestamptz, taken_over_at timestamptz, abandoned_after_s double precision)
RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT $1 < now() - make_interval(secs => $3) OR coalesce($2 >= $1, false)
$$;
GRANT EXECUTE ON FUNCTION deid.run_is_dead(timestamptz, timestamptz, double precision) TO nocturne_worker;

-- Lines of ε published before 0005, which counted none of them: they count for their patients from now on.
UPDATE deid.budget AS b
SET published = true, content_hash = d.content_hash
FROM deid.document AS d
WHERE
    b.run_id = d.run_id AND b.document_id = d.document_id
    AND b.content_hash = '' AND NOT b.published
    AND d.release_id IN (SELECT r.release_id FROM deid.release AS r WHERE r.published_at IS NOT NULL)
    AND d.state IN ('published', 'superseded', 'withdrawn');

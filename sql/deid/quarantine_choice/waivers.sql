-- Grain: one release by a person, of one version of a document of a run. Purpose: what it waives, if the pipeline is
-- still the one under which it was judged.
SELECT c.document_id, c.content_hash, c.waived
FROM deid.quarantine_choice AS c
INNER JOIN deid.run AS r ON c.pipeline_version = r.pipeline_version
WHERE
    r.run_id = %(run_id)s AND c.document_id = ANY(%(document_ids)s) AND c.choice = 'release' AND c.undone_at IS NULL

-- Grain: one document version under one pipeline version.
-- Purpose: give the new documents to this run, in batches; those of a dead run change hands.
INSERT INTO deid.document AS d (
    document_id, content_hash, pipeline_version, run_id, batch_id, state, ingested_at, document_type, service
)
SELECT
    n.document_id, n.content_hash, %(pipeline_version)s, %(run_id)s, n.batch_id, 'planned', n.ingested_at,
    n.document_type, n.service
FROM new_document AS n
ON CONFLICT (document_id, content_hash, pipeline_version) DO UPDATE
SET
    run_id = excluded.run_id,
    batch_id = excluded.batch_id,
    state = excluded.state,
    ingested_at = excluded.ingested_at,
    release_id = NULL,
    updated_at = now()

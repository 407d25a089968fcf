-- name: upsert
-- Grain: one step of a batch. Purpose: its cost, for the report and for sizing batches.
INSERT INTO deid.timing (run_id, batch_id, step, seconds, documents, characters, peak_rss_mb)
VALUES (%(run_id)s, %(batch_id)s, %(step)s, %(seconds)s, %(documents)s, %(characters)s, %(peak_rss_mb)s)
ON CONFLICT (run_id, batch_id, step) DO UPDATE
SET
    seconds = excluded.seconds,
    documents = excluded.documents,
    characters = excluded.characters,
    peak_rss_mb = excluded.peak_rss_mb,
    at = now();

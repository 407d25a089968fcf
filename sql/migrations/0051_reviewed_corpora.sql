-- The worker writes what people corrected to the exchange folder, for a training that is started in Airflow. It learns
-- neither who read nor what was shown.
GRANT SELECT (review_id, readings, closed_at) ON deid.review TO nocturne_worker;
GRANT SELECT (review_id, ordinal, run_id, document_id, content_hash, surrogates, erased_for)
ON deid.review_document TO nocturne_worker;
GRANT SELECT (review_id, ordinal, finished_at, fast) ON deid.review_reading TO nocturne_worker;
GRANT SELECT (annotation_id, document_id, content_hash, start_offset, end_offset, label, origin)
ON deid.annotation TO nocturne_worker;
GRANT EXECUTE ON FUNCTION deid.shown_mentions(bigint, text[]) TO nocturne_worker;

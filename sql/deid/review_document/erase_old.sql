-- Grain: one document of a review. Purpose: the time for which texts may be kept is over.
UPDATE deid.review_document AS d
SET text = NULL, spans = NULL, erased_at = now(), erased_for = 'retention'
FROM deid.review AS r
WHERE
    d.review_id = r.review_id
    AND d.text IS NOT NULL
    AND r.opened_at < now() - make_interval(days => %(keep_days)s)

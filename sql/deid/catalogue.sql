-- name: published
-- Grain: the published documents of an interval, in one row. Purpose: what a catalogue says of them: how many, how
-- complete and unique, and how long after their arrival they could be published.
SELECT
    count(*) AS documents,
    count(DISTINCT d.patient_id) AS patients,
    count(d.stay_id) AS stay_id,
    count(d.document_type) AS document_type,
    count(d.loinc_code) AS loinc_code,
    count(d.title) AS title,
    count(d.reference_date) AS reference_date,
    count(DISTINCT md5(d.text)) AS texts,
    coalesce(
        percentile_cont(0.5) WITHIN GROUP (ORDER BY extract(EPOCH FROM p.published_at - r.interval_end) / 86400), 0
    )::float8 AS days_to_publication
FROM deid.published_document AS d
INNER JOIN deid.release AS p ON d.release_id = p.release_id
INNER JOIN deid.run AS r ON d.run_id = r.run_id
WHERE p.interval_key = %(interval_key)s AND p.published_at IS NOT NULL;

-- name: span
-- Grain: patients with a published document of the interval. Purpose: the mean time between the first and the last of
-- all their published documents, in days of published dates.
SELECT coalesce(avg(s.days), 0)::float8 AS days
FROM (
    SELECT max(o.reference_date) - min(o.reference_date) AS days
    FROM deid.published_document AS o
    WHERE
        o.reference_date IS NOT NULL AND o.patient_id IN (
            SELECT d.patient_id
            FROM deid.published_document AS d
            INNER JOIN deid.release AS p ON d.release_id = p.release_id
            WHERE p.interval_key = %(interval_key)s AND p.published_at IS NOT NULL
        )
    GROUP BY o.patient_id
) AS s;

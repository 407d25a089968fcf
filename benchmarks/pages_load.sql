-- Grain: a year of a large hospital: 365 nights and releases, %(documents)s documents in all. Purpose: the state that the
-- stewards' pages are timed on. No text is a patient's: every published text is the same sentence. The last night waits.
INSERT INTO deid.run (
    triggered_by, source, interval_start, interval_end, interval_key, dry_run, policy_hash, pipeline_version,
    detector_version, key_version, state, seen, planned, staged_digest, started_at, active_at, finished_at,
    reference_versions
)
SELECT
    'scheduled__' || night::date, 'ehop', night, night + interval '1 day', night::date::text, false,
    'policy' || n / 120, '0.1.0-p1-d1', 'detector-' || n / 200, 1,
    CASE WHEN n = 365 THEN 'staged' ELSE 'published' END,
    %(documents)s / 365, %(documents)s / 365, encode(sha256(n::text::bytea), 'hex'), night + interval '1 day',
    night + interval '1 day 1 hour', night + interval '1 day 1 hour',
    jsonb_build_object('communes', '2026-' || n / 100, 'streets', '2026-' || n / 30)
FROM generate_series(1, 365) AS n,
LATERAL (SELECT (current_date - 366 + n)::timestamptz + interval '90 minutes' AS night) AS when_it_was;

INSERT INTO deid.release (interval_key, run_ids, policy_hash, pipeline_version, staged_digest, counts, published_at)
SELECT
    r.interval_key, ARRAY[r.run_id], r.policy_hash, r.pipeline_version, r.staged_digest,
    jsonb_build_object('published', r.planned * 97 / 100, 'replaced', r.planned / 100, 'withdrawn', 3),
    r.interval_end + interval '5 hours'
FROM deid.run AS r
WHERE r.state = 'published'
ORDER BY r.run_id;

CREATE TEMPORARY TABLE year AS
SELECT
    'D' || to_char(g, 'FM0000000') AS document_id,
    encode(sha256(g::text::bytea), 'hex') AS content_hash,
    1 + (g - 1) * 365 / %(documents)s AS run_id,
    'P' || to_char(g %% 300000, 'FM000000') AS patient_id,
    (ARRAY['CRH', 'CRO', 'CRC', 'LET', 'ORD', 'IMG', 'ANP', 'URG', 'BIO', 'SSR', 'PSY', 'RCP', 'KIN', 'INF'])[1 + g %% 14]
        AS document_type,
    CASE WHEN g %% 50 = 0 THEN 'quarantined' WHEN g %% 97 = 0 THEN 'superseded' WHEN g %% 311 = 0 THEN 'withdrawn'
        ELSE 'published' END AS state,
    500 + g %% 4000 AS characters,
    g
FROM generate_series(1, %(documents)s) AS g;
UPDATE year SET state = 'staged' WHERE run_id = 365 AND state = 'published';

INSERT INTO deid.document (
    document_id, content_hash, pipeline_version, run_id, batch_id, state, ingested_at, patient_id, document_type,
    service, characters, title_clean, release_id, updated_at
)
SELECT
    y.document_id, y.content_hash, '0.1.0-p1-d1', y.run_id, 1 + (y.g / 500) %% 6,
    CASE WHEN y.state IN ('superseded', 'withdrawn') THEN 'published' ELSE y.state END,
    r.interval_start + (y.g %% 86400) * interval '1 second', y.patient_id, y.document_type, 'SERV' || y.g %% 40,
    y.characters, true, CASE WHEN y.state = 'published' THEN y.run_id END, r.finished_at
FROM year AS y
INNER JOIN deid.run AS r ON y.run_id = r.run_id;
UPDATE deid.run AS r SET planned = d.documents, seen = d.documents
FROM (SELECT y.run_id, count(*) AS documents FROM year AS y GROUP BY y.run_id) AS d
WHERE r.run_id = d.run_id;

INSERT INTO deid.quarantine (run_id, document_id, content_hash, step, reason, at)
SELECT
    y.run_id, y.document_id, y.content_hash, 'validate',
    (ARRAY['residual_pattern', 'residual_identity', 'date_order', 'undecodable', 'not_french', 'unchanged'])[1 + y.g / 50 %% 6],
    r.finished_at
FROM year AS y
INNER JOIN deid.run AS r ON y.run_id = r.run_id
WHERE y.state = 'quarantined';

-- Mentions and verdicts stand for every tenth document of the year, and for all of the last thirty nights.
INSERT INTO deid.mention (run_id, document_id, ordinal, start_offset, end_offset, label, score)
SELECT
    y.run_id, y.document_id, o, o * 20, o * 20 + 8,
    (ARRAY['PATIENT', 'DOCTOR', 'DATE', 'DATE', 'CITY', 'AGE', 'PHONE', 'ORG', 'DATE', 'PERSON'])[1 + o %% 10], 0.9
FROM year AS y, generate_series(0, 24) AS o
WHERE y.run_id > 335 OR y.g %% 10 = 0;
INSERT INTO deid.mention_tally (run_id, document_type, label, mentions)
SELECT m.run_id, d.document_type, m.label, count(*)
FROM deid.mention AS m
INNER JOIN deid.document AS d ON m.document_id = d.document_id AND m.run_id = d.run_id
WHERE d.state <> 'quarantined'
GROUP BY 1, 2, 3;
INSERT INTO deid.verdict (run_id, document_id, check_name, severity, success, observed)
SELECT y.run_id, y.document_id, 'residual_' || c, CASE WHEN c < 8 THEN 'critical' ELSE 'warning' END, y.g %% 50 <> c, 0
FROM year AS y, generate_series(0, 11) AS c
WHERE y.run_id > 335 OR y.g %% 10 = 0;
INSERT INTO deid.budget (run_id, document_id, patient_id, category, mechanism, epsilon, elements, published)
SELECT y.run_id, y.document_id, y.patient_id, c.category, c.mechanism, 0.5 + (y.g %% 7) * 0.5, 1 + y.g %% 5, true
FROM year AS y,
(VALUES ('date', 'metric'), ('age', 'metric'), ('place', 'health_exponential')) AS c (category, mechanism);
INSERT INTO deid.spend_tally (run_id, category, mechanism, documents, elements, epsilon)
SELECT b.run_id, b.category, b.mechanism, count(*), sum(b.elements), sum(b.epsilon)
FROM deid.budget AS b
INNER JOIN year AS y ON b.document_id = y.document_id
WHERE y.state <> 'quarantined'
GROUP BY 1, 2, 3;

-- Documents leave once their runs are summed up.
UPDATE deid.document AS d SET state = y.state
FROM year AS y
WHERE d.document_id = y.document_id AND y.state IN ('superseded', 'withdrawn');
SELECT deid.sum_changes(r.run_id) FROM deid.run AS r;

INSERT INTO deid.check_result (run_id, batch_id, suite, rule, severity, success, element_count, unexpected_count, observed)
SELECT
    r.run_id, NULL, 'run', c.rule, c.severity, (r.run_id + c.n) %% 17 <> 0, r.planned,
    CASE WHEN (r.run_id + c.n) %% 17 = 0 THEN 12 ELSE 0 END, c.n / 50.0
FROM deid.run AS r,
(VALUES ('quarantined_share', 'warning', 1), ('quarantined_share_high', 'critical', 2), ('failed_share', 'critical', 3),
    ('unparsed_share', 'warning', 4), ('foreign_share', 'warning', 5), ('density_floor', 'critical', 6),
    ('density_drift_low', 'warning', 7), ('density_drift_high', 'warning', 8), ('epsilon_max', 'warning', 9))
    AS c (rule, severity, n);
INSERT INTO deid.decision (interval_key, run_id, chosen, decided_by, reason, staged_digest, decided_at)
SELECT r.interval_key, r.run_id, 'approve', 'politique', '', r.staged_digest, r.finished_at + interval '1 minute'
FROM deid.run AS r WHERE r.state = 'published';
INSERT INTO deid.timing (run_id, batch_id, step, seconds, documents, characters, peak_rss_mb)
SELECT r.run_id, b, s, 60, 457, 1000000, 900
FROM deid.run AS r, generate_series(1, 6) AS b, unnest(ARRAY['detect', 'substitute', 'validate']) AS s;

INSERT INTO deid.published_document (
    document_id, patient_id, document_type, text, reference_date, release_id, run_id, policy_hash, pipeline_version,
    detector_version, reference_versions, visible_from
)
SELECT
    encode(sha256(('d' || y.g)::bytea), 'hex'), left(encode(sha256(y.patient_id::bytea), 'hex'), 32), y.document_type,
    'Compte rendu de consultation. ' || repeat('Examen normal, traitement poursuivi. ', 5), current_date, y.run_id,
    y.run_id, 'policy1', '0.1.0-p1-d1', 'detector-1', '{}', to_char(r.interval_end, 'YYYY-MM')
FROM year AS y
INNER JOIN deid.run AS r ON y.run_id = r.run_id
WHERE y.state = 'published';
INSERT INTO deid.candidate (run_id, document_id, patient_id, text, spans, surrogates)
SELECT
    y.run_id, y.document_id, y.patient_id, 'Madame Martin est venue le 3 mars 2026. ' || repeat('Examen normal. ', 60),
    '[[7, 13, "PATIENT"], [27, 38, "DATE"]]',
    '[[7, 14, "PATIENT", null, 0.9, "pool", true], [28, 39, "DATE", null, 0.9, "metric", true]]'
FROM year AS y
WHERE y.state = 'staged';
SELECT deid.audit_append('intendante', 'read_text', 'document D' || n, '{}') FROM generate_series(1, 5000) AS n;

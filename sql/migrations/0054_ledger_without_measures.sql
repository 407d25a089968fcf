-- What ties a document of the ledger to a text that researchers read leaves stewards' role: lengths, mentions, draws
-- and measures of one document. A report reads sums; the length of a text is told in two digits. The workbench keeps
-- those of what is in quarantine or in the sample of a review.

-- A number in two significant digits; 0 for null.
CREATE OR REPLACE FUNCTION deid.coarse(number numeric) RETURNS bigint
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog AS $$
    SELECT coalesce(
        CASE WHEN number < 100 THEN number ELSE round(number, 1 - floor(log(number))::int) END, 0
    )::bigint
$$;

REVOKE SELECT ON deid.document, deid.mention, deid.budget, deid.verdict, deid.timing, deid.counted_document,
deid.release_document FROM nocturne_steward;
GRANT SELECT (
    document_id, content_hash, pipeline_version, run_id, batch_id, state, patient_id, document_type, loinc_code,
    release_id, updated_at
) ON deid.document TO nocturne_steward;
ALTER VIEW deid.counted_document RESET (security_invoker);
ALTER VIEW deid.release_document RESET (security_invoker);
GRANT SELECT (interval_key, document_id, content_hash, run_id, state, patient_id, document_type)
ON deid.counted_document TO nocturne_steward;
GRANT SELECT (interval_key, side, document_id, run_id, patient_id, document_type)
ON deid.release_document TO nocturne_steward;

-- Grain: one document version of a run that a person may look at: held in quarantine, or in the sample of a review.
CREATE OR REPLACE VIEW deid.shown_document AS
SELECT d.run_id, d.document_id, d.content_hash, d.characters, d.service
FROM deid.document AS d
WHERE
    EXISTS (SELECT FROM deid.quarantine AS q WHERE q.run_id = d.run_id AND q.document_id = d.document_id)
    OR EXISTS (SELECT FROM deid.review_document AS v WHERE v.run_id = d.run_id AND v.document_id = d.document_id);

-- Grain: one check of a document version that is held in quarantine.
CREATE OR REPLACE VIEW deid.shown_verdict AS
SELECT v.run_id, v.document_id, v.check_name, v.severity, v.success, v.observed, v.waived
FROM deid.verdict AS v
WHERE EXISTS (SELECT FROM deid.quarantine AS q WHERE q.run_id = v.run_id AND q.document_id = v.document_id);

-- Grain: one check that a person waived on one document, without what it measured.
CREATE OR REPLACE VIEW deid.waived_check AS
SELECT v.run_id, v.document_id, v.check_name
FROM deid.verdict AS v
WHERE v.waived;

-- Grain: one document that disagrees on its patient or in articles, and waits.
CREATE OR REPLACE VIEW deid.waiting_disagreement AS
SELECT d.interval_key, d.document_id, deid.disagreements(d.agreement) AS disagreements
FROM deid.counted_document AS d
WHERE d.state = 'staged' AND deid.disagreements(d.agreement) IS NOT NULL;

GRANT SELECT ON deid.shown_document, deid.shown_verdict, deid.waived_check, deid.waiting_disagreement
TO nocturne_publisher, nocturne_steward;

-- The mentions of documents that a person may look at, or read in quarantine to mark them: training reads these again.
-- Without those that an open review hides.
CREATE OR REPLACE FUNCTION deid.shown_mentions(run bigint, documents text[]) RETURNS SETOF deid.mention
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT m.*
    FROM deid.mention AS m
    WHERE
        m.run_id = run
        AND m.document_id = ANY(documents)
        AND (
            EXISTS (SELECT FROM deid.shown_document AS s WHERE s.run_id = run AND s.document_id = m.document_id)
            OR EXISTS (
                SELECT FROM deid.quarantine_choice AS c
                WHERE
                    c.run_id = run AND c.document_id = m.document_id
                    AND c.read_mentions IS NOT NULL AND c.undone_at IS NULL
            )
        )
        AND NOT EXISTS (
            SELECT FROM deid.review_document AS d
            INNER JOIN deid.review AS r ON d.review_id = r.review_id AND r.closed_at IS NULL
            INNER JOIN deid.review_sentinel AS s ON d.review_id = s.review_id AND d.ordinal = s.ordinal
            WHERE d.run_id = run AND d.document_id = m.document_id AND s.source_start = m.start_offset
        )
$$;

-- Grain: some runs of one interval. Mentions and ε of the documents that count: from the runs' tallies, less what was
-- superseded since; document by document where several runs took the interval, or a document has moved to another.
CREATE OR REPLACE FUNCTION deid.interval_sums(interval_key text, run_ids bigint[])
RETURNS TABLE (mentions bigint, epsilon float8)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT m.mentions, e.epsilon
    FROM (SELECT $1 AS interval_key, $2 AS run_ids) AS s
    CROSS JOIN LATERAL (
        SELECT
            count(*) FILTER (WHERE r.planned > 0) > 1
            OR sum(r.planned) <> coalesce((
                SELECT sum(t.documents) FROM deid.document_change AS t WHERE t.run_id = ANY(s.run_ids)
            ), 0) AS one_by_one
        FROM deid.run AS r
        WHERE r.run_id = ANY(s.run_ids)
    ) AS h
    CROSS JOIN LATERAL (
        SELECT CASE WHEN h.one_by_one THEN (
            SELECT count(*)
            FROM deid.counted_document AS d
            INNER JOIN deid.mention AS t ON d.run_id = t.run_id AND d.document_id = t.document_id
            WHERE d.interval_key = s.interval_key
        ) ELSE (
            SELECT coalesce(sum(t.mentions), 0)::bigint
            FROM deid.mention_count AS t
            WHERE t.run_id = ANY(s.run_ids)
        ) - (
            SELECT count(*)
            FROM deid.document AS d
            INNER JOIN deid.mention AS t ON d.run_id = t.run_id AND d.document_id = t.document_id
            WHERE d.run_id = ANY(s.run_ids) AND d.state = 'superseded'
        ) END AS mentions
    ) AS m
    CROSS JOIN LATERAL (
        SELECT CASE WHEN h.one_by_one THEN (
            SELECT coalesce(sum(t.epsilon), 0)
            FROM deid.counted_document AS d
            INNER JOIN deid.budget AS t ON d.run_id = t.run_id AND d.document_id = t.document_id
            WHERE d.interval_key = s.interval_key
        ) ELSE greatest(0, (
            SELECT coalesce(sum(t.epsilon), 0) FROM deid.spend_tally AS t WHERE t.run_id = ANY(s.run_ids)
        ) - (
            SELECT coalesce(sum(t.epsilon), 0)
            FROM deid.document AS d
            INNER JOIN deid.budget AS t ON d.run_id = t.run_id AND d.document_id = t.document_id
            WHERE d.run_id = ANY(s.run_ids) AND d.state = 'superseded'
        )) END AS epsilon
    ) AS e
$$;

-- Grain: one kind of relation between dates, ages and lengths. How many the sources state, how many their
-- published texts keep and violate, and in how many documents, of one side.
CREATE OR REPLACE FUNCTION deid.report_constraints(text, text)
RETURNS TABLE (
    kind text, stated bigint, kept bigint, violated bigint, documents bigint, documents_violated bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT
        c.key AS kind,
        sum((c.value ->> 0)::int)::bigint AS stated,
        sum((c.value ->> 1)::int)::bigint AS kept,
        sum((c.value ->> 2)::int)::bigint AS violated,
        count(*) AS documents,
        count(*) FILTER (WHERE (c.value ->> 2)::int > 0) AS documents_violated
    FROM deid.release_document AS d
    CROSS JOIN LATERAL jsonb_each(d.constraints) AS c
    WHERE d.interval_key = $1 AND d.side = $2
    GROUP BY c.key
    ORDER BY c.key
$$;

-- Grain: one kind of agreement. How many values texts state of their patient, or write behind an article, how
-- many disagree, and in how many documents, of one side.
CREATE OR REPLACE FUNCTION deid.report_agreement(text, text)
RETURNS TABLE (
    kind text, stated bigint, violated bigint, documents bigint, documents_violated bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT
        a.key AS kind,
        sum((a.value ->> 0)::int)::bigint AS stated,
        sum((a.value ->> 1)::int)::bigint AS violated,
        count(*) AS documents,
        count(*) FILTER (WHERE (a.value ->> 1)::int > 0) AS documents_violated
    FROM deid.release_document AS d
    CROSS JOIN LATERAL jsonb_each(d.agreement) AS a
    WHERE d.interval_key = $1 AND d.side = $2
    GROUP BY a.key
    ORDER BY a.key
$$;

-- Grain: one format of files. How many documents came in it, and what their texts and rewritten files lack, by
-- kind, of one side.
CREATE OR REPLACE FUNCTION deid.report_files(text, text)
RETURNS TABLE (
    format text, documents bigint, removed jsonb
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    WITH counted AS (
        SELECT d.file_format, r.key AS kind, sum(r.value::int)::bigint AS number
        FROM deid.release_document AS d
        CROSS JOIN LATERAL jsonb_each_text(d.removed) AS r
        WHERE d.interval_key = $1 AND d.side = $2
        GROUP BY d.file_format, r.key
    )

    SELECT
        d.file_format AS format,
        count(*) AS documents,
        coalesce((
            SELECT jsonb_object_agg(c.kind, c.number) FROM counted AS c WHERE c.file_format = d.file_format
        ), '{}') AS removed
    FROM deid.release_document AS d
    WHERE d.interval_key = $1 AND d.side = $2 AND d.file_format IS NOT NULL
    GROUP BY d.file_format
    ORDER BY d.file_format
$$;

-- Grain: one interval. Clinical values and terms read in the sources, and those that changed, over documents
-- that are not in quarantine.
CREATE OR REPLACE FUNCTION deid.report_clinical(text, text)
RETURNS TABLE (
    items numeric, changed numeric, documents bigint, documents_changed bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT
        coalesce(sum(v.observed) FILTER (WHERE v.check_name = 'clinical_items'), 0) AS items,
        coalesce(sum(v.observed) FILTER (WHERE v.check_name = 'clinical_value_changed'), 0) AS changed,
        count(*) FILTER (WHERE v.check_name = 'clinical_items') AS documents,
        count(*) FILTER (WHERE v.check_name = 'clinical_value_changed' AND v.observed > 0) AS documents_changed
    FROM deid.release_document AS d
    INNER JOIN deid.verdict AS v ON d.run_id = v.run_id AND d.document_id = v.document_id
    WHERE
        d.interval_key = $1 AND d.side = $2
        AND v.check_name IN ('clinical_items', 'clinical_value_changed')
$$;

-- Grain: one document on one side. The sum of its ε, for the distribution and the sum by type; ordered, so
-- that quantiles are read off.
CREATE OR REPLACE FUNCTION deid.report_epsilon_documents(text)
RETURNS TABLE (
    side text, document_type text, epsilon float8
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT d.side, coalesce(d.document_type, '') AS document_type, e.epsilon
    FROM deid.release_document AS d
    CROSS JOIN LATERAL (
        SELECT sum(b.epsilon)::float8 AS epsilon
        FROM deid.budget AS b
        WHERE b.run_id = d.run_id AND b.document_id = d.document_id
    ) AS e
    WHERE d.interval_key = $1 AND e.epsilon IS NOT NULL
    ORDER BY 3
$$;

-- Grain: one category of elements and its mechanism. Its cost per document, in nats.
-- The order makes the mean of floating-point numbers the same at every reading.
CREATE OR REPLACE FUNCTION deid.report_epsilon_mechanisms(text, text)
RETURNS TABLE (
    category text, mechanism text, documents bigint, elements bigint, mean float8, p50 float8, p95 float8, most float8
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT
        b.category,
        b.mechanism,
        count(*) AS documents,
        sum(b.elements) AS elements,
        avg(b.epsilon ORDER BY b.epsilon) AS mean,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY b.epsilon) AS p50,
        percentile_cont(0.95) WITHIN GROUP (ORDER BY b.epsilon) AS p95,
        max(b.epsilon) AS most
    FROM deid.release_document AS d
    INNER JOIN deid.budget AS b ON d.run_id = b.run_id AND d.document_id = b.document_id
    WHERE d.interval_key = $1 AND d.side = $2
    GROUP BY b.category, b.mechanism
    ORDER BY b.category, b.mechanism
$$;

-- Grain: one interval. The first numbers of a report, each document counted once. `treated` documents went
-- through every step: `in_force` are published without a newer version that waits, `quarantined`, `removed` (withdrawn,
-- recalled, or of a patient whose opt-out the ledger has yet to apply), and the others wait.
CREATE OR REPLACE FUNCTION deid.report_headline(text, bigint[])
RETURNS TABLE (
    planned bigint, waiting bigint, quarantined bigint, unfinished bigint, treated bigint, in_force bigint,
    removed bigint, opted_out bigint, patients bigint, characters bigint, withdrawals bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT
        count(*) AS planned,
        count(*) FILTER (WHERE d.state = 'staged') AS waiting,
        count(*) FILTER (WHERE d.state = 'quarantined') AS quarantined,
        count(*) FILTER (WHERE d.state IN ('planned', 'detected', 'substituted', 'validated')) AS unfinished,
        count(*) FILTER (WHERE d.state NOT IN ('planned', 'detected', 'substituted', 'validated')) AS treated,
        greatest(0, count(h.document_id) - max(o.opted_out)) AS in_force,
        count(*) FILTER (WHERE d.state IN ('withdrawn', 'recalled')) + least(count(h.document_id), max(o.opted_out))
        AS removed,
        coalesce(max(o.opted_out), 0) AS opted_out,
        count(DISTINCT d.patient_id) AS patients,
        deid.coarse(sum(d.characters)) AS characters,
        (
            SELECT count(DISTINCT w.document_id) FROM deid.withdrawal AS w WHERE w.run_id = ANY($2)
        ) AS withdrawals
    FROM deid.counted_document AS d
    LEFT JOIN deid.release_document AS h
        ON
            h.interval_key = $1 AND h.side = 'held'
            AND d.state = 'published' AND d.run_id = h.run_id AND d.document_id = h.document_id
    CROSS JOIN (
        SELECT coalesce(sum(g.documents), 0)::bigint AS opted_out
        FROM deid.removal_tally AS g
        INNER JOIN deid.release AS y ON g.release_id = y.release_id
        WHERE NOT g.applied AND y.interval_key = $1
    ) AS o
    WHERE d.interval_key = $1
$$;

-- Grain: one document. Its length in characters, for the distribution; ordered.
CREATE OR REPLACE FUNCTION deid.report_lengths(text, text)
RETURNS TABLE (
    characters bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT deid.coarse(d.characters)
    FROM deid.release_document AS d
    WHERE d.interval_key = $1 AND d.side = $2 AND d.characters IS NOT NULL
    ORDER BY 1
$$;

-- Grain: one label or own type of the policy in one document type on one side. The table of mentions; `own` is
-- what the policy says of an own type. The mentions of whole runs are counted in the order of their key, which is
-- faster than document by document; the policy is opened once a kind.
CREATE OR REPLACE FUNCTION deid.report_mentions(text)
RETURNS TABLE (
    side text, document_type text, label text, own jsonb, mentions bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    WITH shown AS MATERIALIZED (
        SELECT d.side, d.run_id, d.document_id, coalesce(d.document_type, '') AS document_type
        FROM deid.release_document AS d
        WHERE d.interval_key = $1
    ),

    kinds AS MATERIALIZED (
        SELECT m.run_id, m.document_id, m.label, m.subtype, count(*) AS mentions
        FROM deid.mention AS m
        WHERE m.run_id = ANY(ARRAY(SELECT DISTINCT s.run_id FROM shown AS s))
        GROUP BY m.run_id, m.document_id, m.label, m.subtype
    ),

    counted AS (
        SELECT s.side, s.document_type, s.run_id, k.label, k.subtype, sum(k.mentions) AS mentions
        FROM shown AS s
        INNER JOIN kinds AS k ON s.run_id = k.run_id AND s.document_id = k.document_id
        GROUP BY s.side, s.document_type, s.run_id, k.label, k.subtype
    )

    SELECT
        c.side,
        c.document_type,
        CASE WHEN p.content -> 'types' ? c.subtype THEN c.subtype ELSE c.label END AS label,
        CASE WHEN p.content -> 'types' ? c.subtype THEN jsonb_build_object(
            'label', c.label,
            'names', p.content #> ARRAY['types', c.subtype, 'names'],
            'provider', p.content #>> ARRAY['types', c.subtype, 'provider']
        ) END AS own,
        sum(c.mentions)::bigint AS mentions
    FROM counted AS c
    INNER JOIN deid.run AS r ON c.run_id = r.run_id
    LEFT JOIN deid.policy AS p ON r.policy_hash = p.policy_hash
    GROUP BY 1, 2, 3, 4
    ORDER BY 1, 2, 3
$$;

-- Grain: one document type on one side. How many documents and how much text it holds. The documents that an
-- opt-out took out of research count no more, although the ledger learns of it later.
CREATE OR REPLACE FUNCTION deid.report_types(text)
RETURNS TABLE (
    side text, document_type text, documents bigint, characters bigint, median_characters float8
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    WITH opted_out AS (
        SELECT g.document_type, sum(g.documents)::bigint AS documents
        FROM deid.removal_tally AS g
        INNER JOIN deid.release AS y ON g.release_id = y.release_id
        WHERE NOT g.applied AND y.interval_key = $1
        GROUP BY g.document_type
    )

    SELECT
        d.side,
        coalesce(d.document_type, '') AS document_type,
        count(*) - coalesce(max(o.documents), 0) AS documents,
        deid.coarse(sum(d.characters)) AS characters,
        deid.coarse(percentile_cont(0.5) WITHIN GROUP (ORDER BY d.characters)::numeric)::float8 AS median_characters
    FROM deid.release_document AS d
    LEFT JOIN opted_out AS o ON d.side = 'held' AND coalesce(d.document_type, '') = o.document_type
    WHERE d.interval_key = $1
    GROUP BY 1, 2
    ORDER BY 1 DESC, 3 DESC, 2
$$;

-- Grain: one check on one side, and all checks (null). How many documents passed although it failed, because a
-- person waived it.
CREATE OR REPLACE FUNCTION deid.report_waived(text)
RETURNS TABLE (
    side text, check_name text, documents bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT d.side, v.check_name, count(DISTINCT d.document_id) AS documents
    FROM deid.release_document AS d
    INNER JOIN deid.verdict AS v ON d.run_id = v.run_id AND d.document_id = v.document_id
    WHERE d.interval_key = $1 AND v.waived
    GROUP BY d.side, ROLLUP (v.check_name)
    ORDER BY d.side DESC, v.check_name
$$;

-- Grain: one step. Its cost over all batches; memory is the highest seen in one process.
CREATE OR REPLACE FUNCTION deid.report_steps(bigint[])
RETURNS TABLE (
    step text, batches bigint, seconds float8, documents bigint, characters bigint, peak_rss_mb float8
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT
        t.step,
        count(*) AS batches,
        sum(t.seconds) AS seconds,
        sum(t.documents) AS documents,
        deid.coarse(sum(t.characters)) AS characters,
        max(t.peak_rss_mb) AS peak_rss_mb
    FROM deid.timing AS t
    WHERE t.run_id = ANY($1)
    GROUP BY t.step
    ORDER BY min(t.at)
$$;

-- Grain: one patient with published documents. What they have spent together, counted as accounts.sql counts.
CREATE OR REPLACE FUNCTION deid.patient_totals()
RETURNS TABLE (
    documents bigint, epsilon float8
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    WITH spent AS (
        SELECT b.patient_id, b.document_id, max(b.epsilon) AS epsilon
        FROM deid.budget AS b
        INNER JOIN deid.run AS r ON b.run_id = r.run_id
        WHERE b.published
        GROUP BY
            b.patient_id, b.document_id, b.content_hash, r.key_fingerprint, b.category, b.mechanism,
            round((b.epsilon / b.elements)::numeric, 9)
    )

    SELECT count(DISTINCT s.document_id) AS documents, sum(s.epsilon) AS epsilon
    FROM spent AS s
    GROUP BY s.patient_id
    ORDER BY epsilon DESC
$$;

REVOKE ALL ON FUNCTION
deid.report_constraints(text, text), deid.report_agreement(text, text),
deid.report_files(text, text), deid.report_clinical(text, text),
deid.report_epsilon_documents(text), deid.report_epsilon_mechanisms(text, text),
deid.report_headline(text, bigint[]), deid.report_lengths(text, text),
deid.report_mentions(text), deid.report_types(text), deid.report_waived(text),
deid.report_steps(bigint[]), deid.patient_totals(), deid.interval_sums(text, bigint[])
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
deid.report_constraints(text, text), deid.report_agreement(text, text),
deid.report_files(text, text), deid.report_clinical(text, text),
deid.report_epsilon_documents(text), deid.report_epsilon_mechanisms(text, text),
deid.report_headline(text, bigint[]), deid.report_lengths(text, text),
deid.report_mentions(text), deid.report_types(text), deid.report_waived(text),
deid.report_steps(bigint[]), deid.patient_totals(), deid.interval_sums(text, bigint[])
TO nocturne_publisher, nocturne_steward;

-- Under no strategy is neither day nor year true by itself: one gives the middle of the true period.
COMMENT ON COLUMN research.document.reference_date IS
'Date du document, déplacée du décalage aléatoire du patient (avec son séjour sous la stratégie episodes ; avec un '
'bruit propre sous document_date: metric), qui peut être nul ; sous generalise, milieu du mois ou de l''année vrais. '
'Les dates du texte ont en plus leur propre bruit, sauf sous uniform_shift. Null sans date. / Date of the document, '
'moved by the patient''s random shift (with the stay under strategy episodes; with noise of its own under '
'document_date: metric), which may be zero; under generalise the middle of the true month or year. Dates of the text '
'have noise of their own besides, but under uniform_shift. Null without a date.';

-- Sentinels: surrogates of a sampled document that its readers see without their mark, as if detection had missed them.
-- The text is the one to be published; which passages they are, stewards' role reads once the sample is read.

-- `sentinels`: the share of the sampled documents that hold one.
ALTER TABLE deid.review
ADD COLUMN sentinels double precision NOT NULL DEFAULT 0 CHECK (sentinels >= 0 AND sentinels <= 1);

-- `compared`: the reader saw the original beside the text before the end, which tells what was replaced.
ALTER TABLE deid.review_reading ADD COLUMN compared boolean NOT NULL DEFAULT false;
GRANT UPDATE (compared) ON deid.review_reading TO nocturne_steward;

-- Grain: one draw of a review's sample, up to `sample` documents; `secret` decides which of them hold a sentinel.
CREATE TABLE deid.review_draw (
    review_id bigint NOT NULL REFERENCES deid.review ON DELETE CASCADE,
    sample int NOT NULL,
    secret text NOT NULL,
    PRIMARY KEY (review_id, sample)
);

-- Grain: one passage of a sampled document that is shown without its mark; a value that comes back is left unmarked
-- everywhere in its document. `next_start`: where the next shown surrogate begins, null behind the last. No role reads
-- this table.
CREATE TABLE deid.review_sentinel (
    review_id bigint NOT NULL,
    ordinal int NOT NULL,
    sample int NOT NULL,
    label text NOT NULL,
    start_offset int NOT NULL,
    end_offset int NOT NULL,
    source_start int NOT NULL,
    source_end int NOT NULL,
    next_start int,
    PRIMARY KEY (review_id, ordinal, start_offset),
    FOREIGN KEY (review_id, ordinal) REFERENCES deid.review_document ON DELETE CASCADE,
    FOREIGN KEY (review_id, sample) REFERENCES deid.review_draw ON DELETE CASCADE
);

-- The same documents as before, without reading their texts: stewards' role reads no staged text beside a review's.
CREATE OR REPLACE VIEW deid.reviewable WITH (security_invoker = true) AS
SELECT
    r.interval_key,
    c.run_id,
    c.document_id
FROM deid.candidate AS c
INNER JOIN deid.document AS d ON c.document_id = d.document_id AND c.run_id = d.run_id
INNER JOIN deid.run AS r ON c.run_id = r.run_id
WHERE
    d.state = 'staged'
    AND r.state = 'staged'
    AND NOT EXISTS (
        SELECT FROM deid.withdrawal AS w WHERE w.document_id = c.document_id AND w.run_id >= c.run_id
    );

-- Draws the sample of an open review up to `wanted` documents in the order of a hash that nobody can choose, copies the
-- texts to read, and chooses the sentinels of what it drew. Documents of an earlier draw stay.
CREATE FUNCTION deid.draw_documents(review bigint, wanted int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE
    key text;
    seed text;
    share double precision;
    before int;
    reached int;
    secret text := gen_random_uuid()::text || gen_random_uuid()::text;
BEGIN
    SELECT r.interval_key, r.seed, r.sentinels INTO STRICT key, seed, share
    FROM deid.review AS r WHERE r.review_id = review AND r.closed_at IS NULL;
    SELECT count(*) INTO before FROM deid.review_document AS d WHERE d.review_id = review;
    INSERT INTO deid.review_document (
        review_id, ordinal, run_id, document_id, content_hash, document_type, text, spans, surrogates
    )
    SELECT
        review, n.ordinal, t.run_id, t.document_id, t.content_hash, t.document_type, t.text, t.spans,
        jsonb_array_length(t.spans)
    FROM (
        SELECT
            s.run_id,
            s.document_id,
            before + row_number() OVER (
                ORDER BY sha256(convert_to(seed || s.document_id, 'UTF8')), s.document_id COLLATE "C", s.run_id
            ) AS ordinal
        FROM deid.reviewable AS s
        WHERE
            s.interval_key = key
            AND NOT EXISTS (
                SELECT FROM deid.review_document AS k
                WHERE k.review_id = review AND k.run_id = s.run_id AND k.document_id = s.document_id
            )
        ORDER BY ordinal
        LIMIT greatest(0, wanted - before)
    ) AS n
    INNER JOIN deid.staged_text AS t ON n.run_id = t.run_id AND n.document_id = t.document_id;
    SELECT count(*) INTO reached FROM deid.review_document AS d WHERE d.review_id = review;
    IF reached = before THEN
        RETURN reached;
    END IF;

    INSERT INTO deid.review_draw (review_id, sample, secret) VALUES (review, reached, secret);
    WITH place AS (
        SELECT
            d.ordinal,
            d.document_id,
            (p.span ->> 0)::int AS start_offset,
            (p.span ->> 1)::int AS end_offset,
            p.span ->> 2 AS label,
            (p.span ->> 3)::int AS source_start,
            (p.span ->> 4)::int AS source_end,
            substr(d.text, (p.span ->> 0)::int + 1, (p.span ->> 1)::int - (p.span ->> 0)::int) AS value
        FROM deid.review_document AS d
        CROSS JOIN jsonb_array_elements(d.spans) AS p (span)
        WHERE d.review_id = review AND d.ordinal > before
    ),

    chosen AS (
        SELECT DISTINCT ON (p.ordinal) p.ordinal, p.document_id, p.label, p.value
        FROM place AS p
        WHERE length(p.value) >= 3
        ORDER BY
            p.ordinal, sha256(convert_to(secret || p.label || p.value, 'UTF8'))
    ),

    kept AS (
        SELECT c.ordinal, c.label, c.value
        FROM chosen AS c
        ORDER BY sha256(convert_to(secret || c.document_id, 'UTF8'))
        LIMIT greatest(0, floor(share * reached)::int - (
            SELECT count(DISTINCT s.ordinal) FROM deid.review_sentinel AS s WHERE s.review_id = review
        ))
    )

    INSERT INTO deid.review_sentinel (
        review_id, ordinal, sample, label, start_offset, end_offset, source_start, source_end, next_start
    )
    SELECT
        review, p.ordinal, reached, p.label, p.start_offset, p.end_offset, p.source_start, p.source_end,
        (
            SELECT min(o.start_offset)
            FROM place AS o
            WHERE o.ordinal = p.ordinal AND o.start_offset > p.start_offset AND (o.label, o.value) <> (k.label, k.value)
        )
    FROM kept AS k
    INNER JOIN place AS p ON k.ordinal = p.ordinal AND k.label = p.label AND k.value = p.value;

    UPDATE deid.review_document AS d
    SET spans = shown.spans, surrogates = jsonb_array_length(shown.spans)
    FROM (
        SELECT
            v.ordinal,
            coalesce(jsonb_agg(p.span ORDER BY p.n) FILTER (WHERE s.start_offset IS NULL), '[]') AS spans
        FROM deid.review_document AS v
        CROSS JOIN jsonb_array_elements(v.spans) WITH ORDINALITY AS p (span, n)
        LEFT JOIN deid.review_sentinel AS s
            ON s.review_id = v.review_id AND s.ordinal = v.ordinal AND s.start_offset = (p.span ->> 0)::int
        WHERE v.review_id = review AND v.ordinal > before
        GROUP BY v.ordinal
        HAVING bool_or(s.start_offset IS NOT NULL)
    ) AS shown
    WHERE d.review_id = review AND d.ordinal = shown.ordinal;
    RETURN reached;
END
$$;

-- Grain: one sentinel's passage of a review that is closed, or of a draw whose documents are all read. `shift`: by how
-- much the source's offsets behind it, up to `next_start`, differ from what was reckoned without it.
CREATE FUNCTION deid.known_sentinels(review bigint)
RETURNS TABLE (ordinal int, label text, start_offset int, end_offset int, next_start int, shift int)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT
        s.ordinal, s.label, s.start_offset, s.end_offset, s.next_start,
        (s.source_end - s.source_start) - (s.end_offset - s.start_offset)
    FROM deid.review_sentinel AS s
    INNER JOIN deid.review AS r ON s.review_id = r.review_id
    WHERE
        s.review_id = review
        AND (
            r.closed_at IS NOT NULL
            OR NOT EXISTS (
                SELECT FROM deid.readable_document AS d
                WHERE
                    d.review_id = review
                    AND d.ordinal <= s.sample
                    AND r.readings > (
                        SELECT count(*) FROM deid.review_reading AS o
                        WHERE
                            o.review_id = review AND o.ordinal = d.ordinal
                            AND o.finished_at IS NOT NULL AND NOT o.fast
                    )
            )
        )
    ORDER BY s.ordinal, s.start_offset
$$;

-- The mentions of documents, without those that an open review hides.
CREATE FUNCTION deid.shown_mentions(run bigint, documents text[]) RETURNS SETOF deid.mention
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
    SELECT m.*
    FROM deid.mention AS m
    WHERE
        m.run_id = run
        AND m.document_id = ANY(documents)
        AND NOT EXISTS (
            SELECT FROM deid.review_document AS d
            INNER JOIN deid.review AS r ON d.review_id = r.review_id AND r.closed_at IS NULL
            INNER JOIN deid.review_sentinel AS s ON d.review_id = s.review_id AND d.ordinal = s.ordinal
            WHERE d.run_id = run AND d.document_id = m.document_id AND s.source_start = m.start_offset
        )
$$;

REVOKE ALL ON FUNCTION deid.draw_documents(bigint, int), deid.known_sentinels(bigint),
deid.shown_mentions(bigint, text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION deid.draw_documents(bigint, int), deid.known_sentinels(bigint)
TO nocturne_steward, nocturne_publisher;
GRANT EXECUTE ON FUNCTION deid.shown_mentions(bigint, text[]) TO nocturne_steward;

-- What could be compared with a shown text to find its sentinels.
REVOKE SELECT ON deid.staged_text, deid.mention FROM nocturne_steward;
REVOKE SELECT ON deid.staged_text FROM nocturne_publisher;
GRANT SELECT (run_id, document_id, ordinal, label, subtype, score, votes) ON deid.mention TO nocturne_steward;
REVOKE INSERT ON deid.review_document FROM nocturne_steward, nocturne_publisher;

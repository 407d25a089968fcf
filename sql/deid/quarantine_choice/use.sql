-- Grain: one choice. Purpose: this run has taken the document up, or has learnt that the source no longer has it.
UPDATE deid.quarantine_choice AS c
SET used_by_run = %(run_id)s
WHERE
    c.used_by_run IS NULL AND c.undone_at IS NULL AND c.choice <> 'discard'
    AND (
        c.document_id = ANY(%(gone)s::text[])
        OR EXISTS (SELECT FROM new_document AS n WHERE n.document_id = c.document_id)
    )

-- Grain: one candidate text. Purpose: erase the text of documents that this step did not let pass.
DELETE FROM deid.candidate AS c
USING owned AS o, incoming_document AS i
WHERE
    c.run_id = %(run_id)s
    AND c.document_id = o.document_id
    AND i.document_id = o.document_id
    AND i.state IN ('quarantined', 'superseded', 'withdrawn')

-- Grain: one ICD-10 code of the stay of one document among document_ids, the main diagnosis first.
-- Purpose: what an evaluation of a release measures coding on; nothing of it is kept or published.
SELECT
    d.document_id,
    d.stay_id,
    c.code
FROM cdw.document AS d
INNER JOIN cdw.diagnosis AS c ON d.stay_id = c.stay_id
WHERE d.document_id = ANY(%(document_ids)s)
ORDER BY d.document_id, c.position

-- Grain: one mark. Purpose: a senior steward's last word on it.
UPDATE deid.review_mark
SET verdict = %(verdict)s, verdict_by = %(senior)s
WHERE mark_id = %(mark_id)s AND verdict IS NULL

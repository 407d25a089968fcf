-- Grain: one mark. Purpose: its reader takes it back; it stays in the table, and counts no more.
UPDATE deid.review_mark SET removed_at = now() WHERE mark_id = %(mark_id)s AND removed_at IS NULL

-- Grain: one release. Purpose: the one of this interval that was interrupted, if any: it is finished first.
SELECT release_id, run_ids FROM research.release WHERE interval_key = %(interval_key)s AND published_at IS NULL

-- Grain: one document. Purpose: what passed validation now waits for its interval to be published.
UPDATE deid.document SET state = 'staged', updated_at = now() WHERE run_id = %(run_id)s AND state = 'validated'

-- Grain: one run. Purpose: what planning saw for a trigger, and how much of it was new.
SELECT r.seen, r.planned FROM deid.run AS r WHERE r.triggered_by = %(triggered_by)s

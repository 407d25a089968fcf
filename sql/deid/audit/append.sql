-- Grain: one line of the audit trail. Purpose: add it behind the last one.
SELECT deid.audit_append(%(actor)s, %(action)s, %(object)s, %(details)s::jsonb)

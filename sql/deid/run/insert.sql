-- Grain: one run. Purpose: register it; the unique trigger makes a repeat of the same plan find it.
INSERT INTO deid.run (
    triggered_by, source, interval_start, interval_end, interval_key, document_types, services, dry_run, reason,
    requested_by, policy_hash, pipeline_version, detector_version, key_version, key_fingerprint,
    reference_versions, state
) VALUES (
    %(triggered_by)s, %(source)s, %(interval_start)s, %(interval_end)s, %(interval_key)s, %(document_types)s,
    %(services)s, %(dry_run)s, %(reason)s, %(requested_by)s, %(policy_hash)s, %(pipeline_version)s,
    %(detector_version)s, %(key_version)s, %(key_fingerprint)s, %(reference_versions)s,
    CASE WHEN %(dry_run)s THEN 'dry_run' ELSE 'planned' END
)
RETURNING run_id

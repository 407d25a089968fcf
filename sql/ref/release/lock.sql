-- Purpose: one load of a source at a time, until the transaction ends; a load may outlast the usual statement.
SELECT pg_advisory_xact_lock(hashtextextended('ref.release ' || %(source)s, 0)),
    set_config('statement_timeout', %(timeout_ms)s, true)

"""PostgreSQL: connections, migrations, the source contract, the ledger and publication; the owner of all SQL."""

"""The only room that speaks SQL: connections, migrations, extraction, the ledger and publication."""

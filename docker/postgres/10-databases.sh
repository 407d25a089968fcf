#!/usr/bin/env bash
# First start of PostgreSQL: Airflow's database, the product's database, and one login per role of the product.
# The schemas and what each role may see are made later, by `python -m deid migrate` (docker/init.sh).
set -euo pipefail

secret() { cat "${SECRETS:-/run/secrets}/$1"; }

# psql quotes the values itself (:'x', :"x"); `log_statement` stays off, so that no password reaches the log.
login() { # role, secret, attributes
  psql -v ON_ERROR_STOP=1 --quiet --no-psqlrc --username "$POSTGRES_USER" --dbname postgres \
    -v role="$1" -v password="$(secret "$2")" << SQL
CREATE ROLE :"role" LOGIN $3 PASSWORD :'password';
ALTER ROLE :"role" SET log_min_messages = 'log';
ALTER ROLE :"role" SET log_min_error_statement = 'panic';
ALTER ROLE :"role" SET log_parameter_max_length = 0;
ALTER ROLE :"role" SET log_parameter_max_length_on_error = 0;
ALTER ROLE :"role" SET log_statement = 'none';
ALTER ROLE :"role" SET log_min_duration_statement = -1;
ALTER ROLE :"role" SET log_error_verbosity = 'terse';
SQL
}

database() { # name, owner
  psql -v ON_ERROR_STOP=1 --quiet --no-psqlrc --username "$POSTGRES_USER" --dbname postgres \
    -v name="$1" -v owner="$2" << 'SQL'
CREATE DATABASE :"name" OWNER :"owner";
REVOKE ALL ON DATABASE :"name" FROM PUBLIC;
SQL
}

login airflow airflow_password ""
login nocturne_owner owner_password "CREATEROLE"
for role in reader worker refresher publisher steward; do
  login "nocturne_$role" "${role}_password" ""
done
login researcher researcher_password ""
database airflow airflow
database nocturne nocturne_owner
# Also after an upgrade of Nocturne (docs/operators.md, "Between roles").
psql -v ON_ERROR_STOP=1 --quiet --no-psqlrc --username "$POSTGRES_USER" --dbname nocturne \
  --file "${PROVISION:-/opt/nocturne-sql}/close_channels.sql"

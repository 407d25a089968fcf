#!/usr/bin/env bash
# First start and every upgrade: databases, roles, pools, first administrator. Can be run again at any time.
set -euo pipefail

say() { echo "init: $*"; }

airflow db check --retry 30 --retry-delay 2
say "Airflow's database"
airflow db migrate
say "the product's schemas and roles"
python -m deid migrate
say "pools"
airflow pools import "${NOCTURNE_ROOT:-/opt/nocturne}/docker/pools.json"
say "DAGs and their permissions"
airflow dags reserialize
airflow sync-perm --include-dags
roles.sh
if [[ -n "${NOCTURNE_ADMIN_PASSWORD:-}" ]]; then
  say "administrator ${NOCTURNE_ADMIN_USER:-admin}"
  airflow users create --role Admin --username "${NOCTURNE_ADMIN_USER:-admin}" --firstname Nocturne --lastname Admin \
    --email "${NOCTURNE_ADMIN_EMAIL:-admin@example.org}" --password "$NOCTURNE_ADMIN_PASSWORD" > /dev/null
fi
say "done"

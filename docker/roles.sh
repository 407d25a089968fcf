#!/usr/bin/env bash
# The data steward's role: answers releases and reads the quality pages; sees no log and no XCom, starts nothing.
# Needs `airflow sync-perm --include-dags` before it, which makes the permission "DAG:release_dataset".
set -euo pipefail

role="${1:-DataSteward}"
release="DAG:release_dataset"

airflow roles create "$role"
airflow roles add-perms "$role" -r DAGs "DAG Runs" "Task Instances" "HITL Detail" Plugins -a can_read
airflow roles add-perms "$role" -r "$release" -a can_read can_edit
airflow roles add-perms "$role" -r "HITL Detail" -a can_edit menu_access
airflow roles add-perms "$role" -r DAGs Browse -a menu_access

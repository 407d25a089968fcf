#!/usr/bin/env bash
# The four roles of the stewards' pages and the little of Airflow that goes with them (docs/operators.md, "Roles").
# Needs `airflow sync-perm --include-dags` before it. Can be run again at any time.
set -euo pipefail

plugins="${NOCTURNE_ROOT:-/opt/nocturne}/plugins"
PYTHONPATH="$plugins${PYTHONPATH:+:$PYTHONPATH}" exec python -m nocturne_pages.fab_roles

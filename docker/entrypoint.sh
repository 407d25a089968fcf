#!/usr/bin/env bash
# Set what every component of Airflow must agree on, read secrets from files, then run what is asked.
#   entrypoint.sh scheduler          an airflow command, with or without the word airflow
#   entrypoint.sh deid migrate       a command of the product
#   entrypoint.sh init | shell       first start; a shell
set -euo pipefail

root="${NOCTURNE_ROOT:-$(cd "$(dirname "$0")/.." && pwd)}"

# NAME_FILE=/run/secrets/x becomes NAME=<content>: secrets stay out of `docker inspect` and of the compose file.
for name in $(compgen -e); do
  case "$name" in
    # Options of Airflow's own whose name ends so: they name a file to use, not a secret to unpack.
    AIRFLOW__*_PASSWORDS_FILE | AIRFLOW__LOGGING__*) ;;
    NOCTURNE_*_FILE | AIRFLOW__*_FILE)
      path="${!name}"
      if [[ ! -r "$path" ]]; then
        echo "entrypoint: $name names $path, which cannot be read: give this service the secret." >&2
        exit 78
      fi
      export "${name%_FILE}=$(< "$path")"
      unset "$name"
      ;;
  esac
done

# Airflow's metadata database and broker are assembled here, so that each password is written once, in one file.
if [[ -n "${NOCTURNE_POSTGRES_PASSWORD:-}" ]]; then
  database="${NOCTURNE_POSTGRES_USER:-airflow}:${NOCTURNE_POSTGRES_PASSWORD}@${NOCTURNE_POSTGRES_HOST:-postgres}:5432/${NOCTURNE_POSTGRES_DB:-airflow}${NOCTURNE_POSTGRES_OPTIONS:+?$NOCTURNE_POSTGRES_OPTIONS}"
  export AIRFLOW__DATABASE__SQL_ALCHEMY_CONN="${AIRFLOW__DATABASE__SQL_ALCHEMY_CONN:-postgresql+psycopg2://$database}"
  export AIRFLOW__CELERY__RESULT_BACKEND="${AIRFLOW__CELERY__RESULT_BACKEND:-db+postgresql+psycopg2://$database}"
  unset NOCTURNE_POSTGRES_PASSWORD
fi
if [[ -n "${NOCTURNE_REDIS_PASSWORD:-}" ]]; then
  export AIRFLOW__CELERY__BROKER_URL="${AIRFLOW__CELERY__BROKER_URL:-${NOCTURNE_REDIS_SCHEME:-redis}://:${NOCTURNE_REDIS_PASSWORD}@${NOCTURNE_REDIS_HOST:-redis}:6379/0${NOCTURNE_REDIS_OPTIONS:+?$NOCTURNE_REDIS_OPTIONS}}"
  unset NOCTURNE_REDIS_PASSWORD
fi

export AIRFLOW__CORE__PLUGINS_FOLDER="${AIRFLOW__CORE__PLUGINS_FOLDER:-$root/plugins}"
# The script `airflow` sees its own folder, not this one: without it the plugins cannot import deid, and are left out.
export PYTHONPATH="$root:$root/plugins${PYTHONPATH:+:$PYTHONPATH}"
export AIRFLOW__CORE__LOAD_EXAMPLES="${AIRFLOW__CORE__LOAD_EXAMPLES:-False}"
export AIRFLOW__CORE__XCOM_BACKEND="${AIRFLOW__CORE__XCOM_BACKEND:-nocturne_airflow.xcom.GuardedXCom}"
if [[ -z "${AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST:-}" ]]; then  # a brace of JSON would end a default in braces
  export AIRFLOW__DAG_PROCESSOR__DAG_BUNDLE_CONFIG_LIST="[{\"name\": \"nocturne\", \"classpath\": \"airflow.dag_processing.bundles.local.LocalDagBundle\", \"kwargs\": {\"path\": \"$root\"}}]"
fi
export GX_ANALYTICS_ENABLED=False

cd "$root"
case "${1:-version}" in
  deid) shift && exec python -m deid "$@" ;;
  init) shift && exec init.sh "$@" ;;
  shell) shift && exec bash "$@" ;;
  airflow | bash | sh | python | *.sh) exec "$@" ;;
  *) exec airflow "$@" ;;
esac

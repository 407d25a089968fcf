#!/usr/bin/env bash
# Whether the component of this container works: healthy.sh api-server | scheduler | dag-processor | triggerer | worker
set -euo pipefail

case "${1:?which component}" in
  api-server)
    exec python -c 'import sys; from urllib.request import urlopen; urlopen(sys.argv[1], timeout=5)' \
      "http://localhost:${AIRFLOW__API__PORT:-8080}/api/v2/monitor/health" ;;
  scheduler) exec entrypoint.sh jobs check --job-type SchedulerJob --local ;;
  dag-processor) exec entrypoint.sh jobs check --job-type DagProcessorJob --local ;;
  triggerer) exec entrypoint.sh jobs check --job-type TriggererJob --local ;;
  worker)
    exec entrypoint.sh python -m celery --app airflow.providers.celery.executors.celery_executor.app \
      inspect ping --destination "celery@$(hostname)" ;;
  *) echo "healthy: no component is called $1" >&2 && exit 64 ;;
esac

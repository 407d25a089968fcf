"""OpenLineage is switched off unless its events pass the product's filter: by default they hold a run's parameters."""

from __future__ import annotations

import logging
import os
from typing import Any

from airflow.exceptions import AirflowConfigException
from airflow.sdk.configuration import conf

log = logging.getLogger(__name__)

FILTER = "nocturne_airflow.lineage_events.CountsOnly"


def require_filter() -> None:
    """Switch OpenLineage off in this process if events would leave it without the filter.

    Airflow's provider reads its settings when its plugin is loaded, after those of the plugins' folder.
    """
    if _is_filtered() or not _is_configured():
        return
    os.environ["AIRFLOW__OPENLINEAGE__DISABLED"] = "True"
    log.error(
        "OpenLineage is off: its events would hold the parameters of runs. Set AIRFLOW__OPENLINEAGE__TRANSPORT to "
        '{"type": "transform", "transformer_class": "%s", "transport": {…}}, and no other setting of a transport.',
        FILTER,
    )


def _is_filtered() -> bool:
    transport = _transport()
    if not isinstance(transport, dict) or _elsewhere():
        return False
    return (transport.get("type"), transport.get("transformer_class")) == ("transform", FILTER)


def _is_configured() -> bool:
    variables = any(name.startswith(("OPENLINEAGE_URL", "OPENLINEAGE_CONFIG", "OPENLINEAGE__")) for name in os.environ)
    return bool(_transport()) or _elsewhere() or variables


def _elsewhere() -> bool:
    """Return whether a connection or a file of Airflow's settings comes before the transport."""
    return any(conf.get("openlineage", name, fallback="") for name in ("config_conn_id", "config_path"))


def _transport() -> Any:
    try:
        return conf.getjson("openlineage", "transport", fallback={})
    except AirflowConfigException:
        return {"type": "unreadable"}

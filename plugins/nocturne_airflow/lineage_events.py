"""Datasets of each step for OpenLineage, with counts, and the filter that every event passes.

Importing this module needs Airflow's OpenLineage provider.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from airflow.providers.openlineage.extractors import OperatorLineage
from openlineage.client.event_v2 import InputDataset, OutputDataset, RunEvent
from openlineage.client.facet_v2 import (
    data_quality_assertions_dataset,
    data_quality_metrics_input_dataset,
    input_statistics_input_dataset,
    output_statistics_output_dataset,
    tags_run,
)
from openlineage.client.transport.transform import EventTransformer
from openlineage_sql import parse

from deid.config.settings import settings
from deid.database.connection import place
from deid.domain.outcomes import Severity
from deid.quality.measures import CheckResult
from deid.source.contract import Source
from deid.stewardship.metrics import Lineage, read_lineage
from nocturne_airflow.connections import export_connections

RUN_FACETS = ("parent", "nominalTime", "processing_engine", "tags")
JOB_FACETS = ("documentation", "jobType", "ownership", "tags")
INPUT_FACETS = ("inputStatistics", "dataQualityMetrics", "dataQualityAssertions")
OUTPUT_FACETS = ("outputStatistics",)
_SEVERITY = {Severity.CRITICAL: "error", Severity.WARNING: "warn", Severity.INFO: "info"}


class CountsOnly(EventTransformer):
    """Keeps names, times, digests and counts of an event, and drops every other facet.

    Those hold parameters and notes of runs, accounts, messages and stacks of errors, source code, SQL and paths.
    """

    def transform(self, event: Any) -> RunEvent | None:
        """Return the event with the permitted facets; None for one that is not of a run."""
        if not isinstance(event, RunEvent):
            return None
        event.run.facets = _permitted(event.run.facets, RUN_FACETS)
        if parent := event.run.facets.get("parent"):
            parent.root = None
            if not event.job.name.startswith(f"{parent.job.name}."):  # named by a parameter of the run
                del event.run.facets["parent"]
        event.job.facets = _permitted(event.job.facets, JOB_FACETS)
        for read in event.inputs or ():
            read.facets, read.inputFacets = {}, _permitted(getattr(read, "inputFacets", None), INPUT_FACETS)
        for written in event.outputs or ():
            written.facets = {}
            written.outputFacets = _permitted(getattr(written, "outputFacets", None), OUTPUT_FACETS)
        return event


def _permitted(facets: Mapping[str, Any] | None, names: Sequence[str]) -> dict[str, Any]:
    return {name: facet for name, facet in (facets or {}).items() if name in names}


@dataclass(frozen=True, slots=True)
class _Datasets:
    """Datasets of a step: queries of the source contract, and tables of the product's database."""

    role: str
    queries: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    judges: str = ""  # table of `reads` that the checks are about
    reports: bool = False


# By job: DAG and task.
_STEPS: Mapping[str, _Datasets] = {
    "deidentify_documents.plan": _Datasets("worker", ("plan", "merges"), (), ("deid.run", "deid.document")),
    "deidentify_documents.batch.detect": _Datasets(
        "worker", ("contents", "staff"), ("deid.document",), ("deid.mention",)
    ),
    "deidentify_documents.batch.substitute": _Datasets("worker", ("contents",), ("deid.mention",), ("deid.candidate",)),
    "deidentify_documents.batch.validate": _Datasets(
        "worker",
        ("contents",),
        ("deid.candidate",),
        ("deid.verdict", "deid.check_result", "deid.quarantine"),
        judges="deid.candidate",
    ),
    "deidentify_documents.stage": _Datasets(
        "worker", (), ("deid.candidate", "deid.verdict"), ("deid.staged_content", "deid.quarantine")
    ),
    "release_dataset.publish": _Datasets(
        "publisher",
        ("present",),
        ("deid.staged_content", "deid.candidate"),
        ("deid.published_document", "research.document"),
        judges="deid.staged_content",
    ),
    "release_dataset.report": _Datasets("publisher", (), ("deid.check_result", "deid.document"), reports=True),
    "apply_oppositions.apply": _Datasets("publisher", (), ("deid.opt_out",), ("research.document",)),
}


def lineage_of(job: str, returned: Any) -> OperatorLineage:
    """Return the datasets of a job with its counts; of a job that failed (`returned` is None), the datasets alone.

    Raises:
        WarehouseUnreachable, WarehouseError, SettingsError: the counts could not be read.
    """
    if job not in _STEPS:
        return OperatorLineage()
    export_connections()
    step = _STEPS[job]
    figures = _figures(step.role, returned)
    rows = dict(figures.rows)
    if isinstance(returned, dict) and "published" in returned:
        rows["deid.published_document"] = returned["published"]
    checks = figures.checks if step.judges else ()
    inputs = [
        *(_input(*name) for query in step.queries for name in _warehouse_tables(query)),
        *(_files(rows.get("files", 0)) if step.queries else ()),
        *(
            _table(partial(_input, checks=checks if name == step.judges else ()), step, name, rows)
            for name in step.reads
        ),
    ]
    outputs = [_table(_output, step, name, rows) for name in step.writes]
    if step.reports:
        folder = str((settings().home / "reports").resolve())
        outputs.append(_output("file", folder, files=len(returned) if returned else None))
    facets = {"tags": _tags(figures.versions)} if figures.versions else {}
    return OperatorLineage(inputs=_once(inputs), outputs=outputs, run_facets=facets)


def _figures(role: str, returned: Any) -> Lineage:
    """Read the figures of the run, and the batch, that a step returned."""
    first = returned[0] if isinstance(returned, list) and returned else returned
    if not isinstance(first, dict):
        return Lineage({}, {}, ())
    run_id = first.get("run_id") or next(reversed(first.get("run_ids") or [None]))
    batch_id = None if first is not returned else first.get("batch_id")
    return Lineage({}, {}, ()) if run_id is None else read_lineage(role, run_id, batch_id)


def _table(make: Callable[..., Any], step: _Datasets, name: str, rows: Mapping[str, int]) -> Any:
    namespace, database = _address(settings().dsn(step.role))
    return make(namespace, f"{database}.{name}", rows=rows.get(name))


def _warehouse_tables(query: str) -> Iterator[tuple[str, str]]:
    """Yield namespace and name of the tables that a query of the source contract reads."""
    source, dsn = Source(settings().source), settings().reader_dsn
    if dsn is None or not source.has(query):
        return
    namespace, database = _address(dsn.get_secret_value())
    found = parse([re.sub(r"%\(\w+\)s", "NULL", source.query(query))], dialect="postgres")
    for table in found.in_tables if found else ():
        yield namespace, f"{database}.{table.qualified_name}"


def _address(dsn: str) -> tuple[str, str]:
    """Return namespace and database of a connection string, as OpenLineage names them."""
    server, _, database = place(dsn).rpartition("/")
    host, _, port = server.rpartition(":")
    return f"postgres://{'localhost' if host.startswith('/') or ' ' in host else host}:{port}", database


def _files(count: int) -> Iterator[InputDataset]:
    """Yield the folders of the source's files, if it names any; the count is known where there is one folder."""
    roots = settings().roots if count else ()
    for root in roots:
        parts = urlsplit(root)
        namespace = f"{parts.scheme}://{parts.hostname}" if parts.scheme else "file"
        name = parts.path.lstrip("/") if parts.scheme else root
        yield _input(namespace, name or "/", files=count if len(roots) == 1 else None)


def _input(
    namespace: str, name: str, *, rows: int | None = None, files: int | None = None, checks: Sequence[CheckResult] = ()
) -> InputDataset:
    facets: dict[str, Any] = {}
    if rows is not None or files is not None:
        statistics = input_statistics_input_dataset.InputStatisticsInputDatasetFacet
        facets["inputStatistics"] = statistics(rowCount=rows, fileCount=files)
    if checks:
        metrics = data_quality_metrics_input_dataset.DataQualityMetricsInputDatasetFacet
        facets["dataQualityMetrics"] = metrics(rowCount=rows, columnMetrics={})
        facets["dataQualityAssertions"] = data_quality_assertions_dataset.DataQualityAssertionsDatasetFacet(
            assertions=[_assertion(check) for check in checks]
        )
    return InputDataset(namespace=namespace, name=name, inputFacets=facets)


def _assertion(check: CheckResult) -> data_quality_assertions_dataset.Assertion:
    return data_quality_assertions_dataset.Assertion(
        assertion=check.rule,
        success=check.success,
        severity=_SEVERITY[check.severity],
        expected="0",
        actual=str(check.unexpected_count),
        params={"suite": check.suite, "elements": check.element_count},
    )


def _output(namespace: str, name: str, *, rows: int | None = None, files: int | None = None) -> OutputDataset:
    facets: dict[str, Any] = {}
    if rows is not None or files is not None:
        statistics = output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet
        facets["outputStatistics"] = statistics(rowCount=rows, fileCount=files)
    return OutputDataset(namespace=namespace, name=name, outputFacets=facets)


def _tags(versions: Mapping[str, str]) -> tags_run.TagsRunFacet:
    return tags_run.TagsRunFacet(
        tags=[
            tags_run.TagsRunFacetFields(key=name, value=value, source="NOCTURNE")
            for name, value in versions.items()
            if value
        ]
    )


def _once(datasets: Sequence[InputDataset]) -> list[InputDataset]:
    return list({(dataset.namespace, dataset.name): dataset for dataset in datasets}.values())

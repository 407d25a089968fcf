"""Project of Great Expectations of a deployment: its suites, checkpoints and results as files, and Data Docs as pages.

The pages load nothing: those of Great Expectations load style sheets, fonts and scripts from other servers. Importing
this module imports Great Expectations, which takes seconds.
"""

from __future__ import annotations

import fcntl
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import great_expectations as gx
from great_expectations.core import ExpectationSuiteValidationResult, ExpectationValidationResult, RunIdentifier
from great_expectations.data_context.types.base import ProgressBarsConfig
from great_expectations.data_context.types.resource_identifiers import (
    ExpectationSuiteIdentifier,
    ValidationResultIdentifier,
)
from great_expectations.render.renderer.site_builder import SiteBuilder
from great_expectations.render.view.view import DefaultJinjaPageView
from jinja2 import ChoiceLoader, FileSystemLoader

from deid import __version__
from deid.config.policy import Policy
from deid.domain.outcomes import Severity
from deid.quality.checks import COUNTED, REQUIREMENTS, checks_within
from deid.quality.judging import SOURCE, Bounded, add_checkpoint, expectation_suite
from deid.quality.measures import ROW_SUITE
from deid.reports.figures import Figures, pages_of_checks, run_name_of
from deid.reports.run_checks import RUN_SUITE, density_rules, share_rules
from deid.reports.wording import WORDING

PAGES = "data_docs"
PROJECT = "gx"  # name that Great Expectations gives the folder
SITE = "local_site"
TEMPLATES = Path(__file__).parent / "templates" / "data_docs"
_WORDS = WORDING["fr"]
RECENT = 120  # results that the index lists, the newest ones
# Counts: no value, even of the numbers that are judged.
COUNTS_ONLY = {"result_format": "BASIC", "partial_unexpected_count": 0, "exclude_unexpected_values": True}


class PlainPages(DefaultJinjaPageView):
    """Pages of Great Expectations in templates that load nothing."""

    def __init__(self, **options: Any) -> None:
        """Put the product's templates before those of Great Expectations."""
        super().__init__(**options)
        self.env.loader = ChoiceLoader([FileSystemLoader(TEMPLATES), *filter(None, [self.env.loader])])


class PlainSite(SiteBuilder):
    """Data Docs without what they load from other servers and without their pictures."""

    def __init__(
        self, data_context: Any, store_backend: Any, runtime_environment: Any = None, site_name: str | None = None
    ) -> None:
        """Give every section and the index the plain pages. Great Expectations passes the arguments by name."""
        super().__init__(
            data_context,
            store_backend,
            site_name=site_name,
            runtime_environment=runtime_environment,
            show_how_to_buttons=False,
        )
        for builder in (*self.site_section_builders.values(), self.site_index_builder):
            builder.view_class = PlainPages()
        self.site_index_builder.validation_results_limit = RECENT

    def build(self, resource_identifiers: Any = None, build_index: bool = True) -> Any:
        """Write the pages of some results, and the index; return its address and links."""
        for builder in self.site_section_builders.values():
            builder.build(resource_identifiers=resource_identifiers)
        _, links = self.site_index_builder.build(build_index=build_index)
        return self.get_resource_url(only_if_exists=False), links


def rules_of(policy: Policy, documents: int | None = None) -> dict[str, Sequence[Bounded]]:
    """Return the rules of each suite under a policy; `documents` of a run, None for enough to stop it."""
    enough = policy.quality.least_documents if documents is None else documents
    return {
        ROW_SUITE: checks_within(policy.quality, policy.substitution.hiding),
        RUN_SUITE: (*share_rules(policy, enough), *density_rules(policy)),
    }


def _suite(name: str, rules: Sequence[Bounded], **meta: str) -> gx.ExpectationSuite:
    """Return the suite of some rules with their sentences: severity and bounds in French, and English as a note."""
    meanings = {}
    for rule in rules:
        severity = _WORDS["counted" if rule.severity is Severity.INFO else f"severity_{rule.severity}"]
        french = f"{REQUIREMENTS['fr'][rule.name]} ({severity} ; {_bounds(rule)})"
        meanings[rule.name] = (french, REQUIREMENTS["en"][rule.name])
    return expectation_suite(name, rules, meanings, **meta)


def _bounds(rule: Bounded) -> str:
    least, most = rule.least, rule.most if rule.most is None or rule.most < COUNTED else None
    bounds = {"exactly": least} if least is not None and least == most else {"least": least, "most": most}
    return ", ".join(_WORDS[f"bound_{name}"].format(bound) for name, bound in bounds.items() if bound is not None)


def write_suites(policy: Policy, folder: Path) -> Path:
    """Write the project of a policy into `folder`: a suite and a checkpoint for documents, and for runs.

    Returns the project's folder, which `great_expectations.get_context(mode="file", project_root_dir=folder)` opens.
    """
    with _project(folder) as context:
        _keep_suites(context, policy)
    return folder / PROJECT


def write_data_docs(figures: Figures, policy: Policy, folder: Path) -> dict[str, str]:
    """Add the results of an interval's checks, as the night recorded them, to the project, and write its pages.

    `figures` and `policy` are those of `gather_checks`. Returns the page of each suite that was judged, as
    `pages_of_checks` names it.
    """
    key = figures["interval"]["key"]
    start = datetime.fromisoformat(figures["interval"]["start"]).astimezone(UTC)
    rules = rules_of(policy, figures["documents"])
    pages: dict[str, str] = {}
    with _project(folder) as context:
        _keep_suites(context, policy)
        kept: list[Any] = [ExpectationSuiteIdentifier(name) for name in rules]
        for name in rules:
            checks = {check["rule"]: check for check in figures["checks"] if check["suite"] == name}
            if checks:
                run = RunIdentifier(run_name=run_name_of(key), run_time=start)
                result = ValidationResultIdentifier(ExpectationSuiteIdentifier(name), run, key)
                store = context.validation_results_store
                store.set(result, _results(name, rules[name], checks, run))
                kept.append(result)
                pages[name] = pages_of_checks(figures)[name]
        context.build_data_docs(site_names=[SITE], resource_identifiers=kept)
    return pages


@contextmanager
def _project(folder: Path) -> Iterator[Any]:
    """Open the project of a folder, made where it is missing; one process at a time."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f".{PROJECT}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = (folder / PROJECT / "great_expectations.yml").exists()
        context = gx.get_context(mode="file", project_root_dir=folder)
        if not made:
            context.variables.progress_bars = ProgressBarsConfig(globally=False)
            backend = {"class_name": "TupleFilesystemStoreBackend", "base_directory": f"../{PAGES}/"}
            site: Any = {"class_name": PlainSite.__name__, "module_name": __name__, "store_backend": backend}
            context.update_data_docs_site(SITE, site)
        yield context


def _keep_suites(context: Any, policy: Policy) -> None:
    """Write the suites and checkpoints of a policy, unless they are there."""
    meta = {"policy": policy.digest, "nocturne": __version__}
    known = {suite.name: suite for suite in context.suites.all()}
    for name, rules in rules_of(policy).items():
        if name not in known or not meta.items() <= known[name].meta.items():
            add_checkpoint(context, _suite(name, rules, **meta), COUNTS_ONLY)


def _results(
    name: str, rules: Sequence[Bounded], checks: Mapping[str, Mapping[str, Any]], run: RunIdentifier
) -> ExpectationSuiteValidationResult:
    """Return what the night recorded of a suite's rules, as Great Expectations holds a result."""
    suite = _suite(name, [rule for rule in rules if rule.name in checks])
    results = [
        ExpectationValidationResult(
            success=checks[column]["success"],
            expectation_config=one.configuration,
            result=_counts(checks[column]),
            exception_info={"raised_exception": False, "exception_message": None, "exception_traceback": None},
        )
        for one in suite.expectations
        for column in [one.configuration.kwargs["column"]]
    ]
    held = sum(bool(one.success) for one in results)
    return ExpectationSuiteValidationResult(
        success=held == len(results),
        results=results,
        suite_name=name,
        statistics={
            "evaluated_expectations": len(results),
            "successful_expectations": held,
            "unsuccessful_expectations": len(results) - held,
            "success_percent": 100 * held / len(results) if results else None,
        },
        meta={
            "run_id": run,
            "great_expectations_version": gx.__version__,
            "batch_spec": {},
            "active_batch_definition": {"datasource_name": SOURCE, "data_asset_name": name, "batch_identifiers": {}},
        },
    )


def _counts(check: Mapping[str, Any]) -> dict[str, Any]:
    elements, unexpected = check["elements"], check["unexpected"]
    share = {"unexpected_percent": 100 * unexpected / elements} if elements else {}
    observed = {} if check["observed"] is None else {"observed_value": check["observed"]}
    return {"element_count": elements, "unexpected_count": unexpected, **share, **observed}

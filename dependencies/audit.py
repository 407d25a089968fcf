"""Audit of the locked dependencies for known vulnerabilities (pip-audit).

A finding passes if `dependencies/exceptions.yaml` records it with a reason and a date; an exception without a finding
fails too. Exit status: 0 nothing unrecorded; 1 an unrecorded finding or an exception that no longer applies; 2 wrong
usage, or a tool that failed; 3 no vulnerability service answered.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
LOCKS = ROOT / "dependencies" / "locks"
EXCEPTIONS = ROOT / "dependencies" / "exceptions.yaml"
UNRECORDED, UNUSABLE, OUT_OF_REACH = 1, 2, 3


@dataclass(frozen=True, order=True)
class Finding:
    """A finding, by what an exception names: identifier and package."""

    identifier: str
    package: str


class Unusable(Exception):
    """A tool or the file of exceptions cannot be used; the message says why."""


def audit(tools: Path, exceptions: Path, locks: Sequence[Path], osv_url: str | None) -> int:
    """Print what is not recorded; return the exit status.

    Raises:
        Unusable: a tool failed, or an exception lacks its reason or date.
    """
    recorded = read_exceptions(exceptions)
    found = known_vulnerabilities(tools, locks, osv_url)
    if found is None:
        print("No vulnerability service answered: nothing was audited. Run this where one can be reached.")
        return OUT_OF_REACH
    complaints = list(_differences(Counter(found), recorded))
    for complaint in complaints:
        print(complaint)
    if complaints:
        print(f"{len(complaints)} to mend, or to record in {exceptions.name} with a reason and a date.")
    return UNRECORDED if complaints else 0


def read_exceptions(path: Path) -> Mapping[Finding, int]:
    """Return the number of findings that are recorded, by finding.

    Raises:
        Unusable: unreadable, or an exception lacks its identifier, package, reason or date.
    """
    try:
        given = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
        return dict(map(_exception, given.get("vulnerabilities") or ()))
    except (OSError, yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unusable(f"{path.name}: an exception needs id, in, reason and date ({error}).") from None


def _exception(entry: Mapping[str, Any]) -> tuple[Finding, int]:
    if not str(entry["reason"]).strip() or not isinstance(entry["date"], date):
        raise ValueError(f"reason or date of {entry['id']}")
    return Finding(entry["id"], entry["in"]), int(entry.get("count", 1))


def _differences(found: Counter[Finding], recorded: Mapping[Finding, int]) -> Iterator[str]:
    for one in sorted({*found, *recorded}):
        if found[one] > recorded.get(one, 0):
            yield f"{one.package}: {one.identifier}, {found[one]} found, {recorded.get(one, 0)} recorded"
        elif found[one] < recorded.get(one, 0):
            yield f"{one.package}: {one.identifier}, {found[one]} found, {recorded[one]} recorded: correct the record"


def known_vulnerabilities(tools: Path, locks: Sequence[Path], osv_url: str | None) -> list[Finding] | None:
    """Return the known vulnerabilities of the locks' packages; None if no service answered for any of them.

    A package that the service does not know counts as a finding `unknown`.
    """
    command = [str(tools / "pip-audit"), "--disable-pip", "--no-deps", "--progress-spinner", "off", "--format", "json"]
    service = ["--vulnerability-service", "osv", "--osv-url", osv_url] if osv_url else []
    done = _run([*command, *service, *(word for lock in locks for word in ("--requirement", str(lock)))])
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        if "requests.exceptions" in done.stderr or "blocking this service" in done.stderr:
            return None
        raise Unusable(f"pip-audit failed: {done.stderr[-500:]}") from None
    if not any("vulns" in package for package in packages):
        return None
    return [
        *(Finding(one["id"], package["name"]) for package in packages for one in package.get("vulns", ())),
        *(Finding("unknown", package["name"]) for package in packages if "vulns" not in package),
    ]


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)  # noqa: S603
    except OSError as error:
        raise Unusable(f"{command[0]}: {error.strerror}. `make audit-dependencies` installs it.") from None


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the audit of the checkout, or of what the options name."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", type=Path, default=ROOT / ".venv/tools/bin", help="folder of pip-audit")
    parser.add_argument("--exceptions", type=Path, default=EXCEPTIONS)
    parser.add_argument("--locks", type=Path, nargs="+", default=sorted(LOCKS.glob("*.txt")))
    parser.add_argument("--osv-url", help="an OSV service, such as a mirror, instead of the registry's own")
    given = parser.parse_args(arguments)
    try:
        return audit(given.tools.absolute(), given.exceptions, given.locks, given.osv_url)
    except Unusable as error:
        print(error, file=sys.stderr)
        return UNUSABLE


if __name__ == "__main__":
    sys.exit(main())

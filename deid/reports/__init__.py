"""The report of an interval: its numbers from the ledger, as JSON and as self-contained pages for stewards."""

from deid.reports.figures import Figures, gather
from deid.reports.render import render, write_checks, write_report

__all__ = ["Figures", "gather", "render", "write_checks", "write_report"]

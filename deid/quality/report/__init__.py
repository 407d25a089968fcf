"""The report of an interval: its numbers from the ledger, as JSON and as self-contained pages for stewards."""

from deid.quality.report.figures import Figures, gather
from deid.quality.report.render import render
from deid.quality.report.writing import write_report

__all__ = ["Figures", "gather", "render", "write_report"]

"""The commands of the laboratory, called as those of the product."""

from tests.unit.cli.conftest import deid, demo, secret

__all__ = ["deid", "demo", "secret"]

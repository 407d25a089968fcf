"""Command lines to call, as the unit tests call them."""

from tests.unit.cli.conftest import deid, demo, secret

__all__ = ["deid", "demo", "secret"]

"""Thirty nights of a synthetic hospital, end to end on one machine: `python -m demo`."""

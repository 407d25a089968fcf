"""Thirty nights of a fictional hospital, end to end on one machine: `python -m demo`."""

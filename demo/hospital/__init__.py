"""A synthetic hospital, written by a seeded generator: patients, stays, documents over nights, true mentions.

Nobody in it exists. The same seed gives the same bytes on any machine.
"""

from __future__ import annotations

from demo.hospital.build import generate
from demo.hospital.load import load
from demo.hospital.model import GoldMention, Hospital, HospitalDocument, Patient, Professional, Stay, Version

__all__ = [
    "GoldMention",
    "Hospital",
    "HospitalDocument",
    "Patient",
    "Professional",
    "Stay",
    "Version",
    "generate",
    "load",
]

"""Detection: where in a text something identifies a person, and what kind of thing it is."""

from deid.detection.detector import Detector

__all__ = ["Detector"]

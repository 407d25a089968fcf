"""Detection: where in a text something identifies a person, and what kind of thing it is."""

from deid.detection.detector import Detector, detect_parallel

__all__ = ["Detector", "detect_parallel"]

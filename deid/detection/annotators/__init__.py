"""The annotators that ship; a policy chooses among them by name (`deid.detection.annotators.registry`)."""

from deid.detection.annotators.context import Context
from deid.detection.annotators.gazetteer import Gazetteer
from deid.detection.annotators.identity import Identity
from deid.detection.annotators.indirect import Indirect
from deid.detection.annotators.patterns import Patterns
from deid.detection.annotators.times import ClockTimes

# Rules whose mentions are features of the learned taggers.
FEATURE_RULES = (Patterns(), Gazetteer(), Context())

__all__ = ["FEATURE_RULES", "ClockTimes", "Context", "Gazetteer", "Identity", "Indirect", "Patterns"]

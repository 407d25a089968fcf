"""The annotators that ship; importing this package registers the rules. The learned ones are imported when named."""

from deid.detection.annotators import context, gazetteer, identity, patterns
from deid.detection.registry import Annotator, BatchAnnotator, build, names, register

__all__ = ["Annotator", "BatchAnnotator", "build", "context", "gazetteer", "identity", "names", "patterns", "register"]

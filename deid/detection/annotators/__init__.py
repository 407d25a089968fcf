"""The annotators that ship; importing this package registers them."""

from deid.detection.annotators import bilstm_crf, context, crf, gazetteer, identity, patterns
from deid.detection.annotators.registry import Annotator, BatchAnnotator, build, names, register

__all__ = ["Annotator", "BatchAnnotator", "build", "context", "gazetteer", "identity", "names", "patterns", "register"]

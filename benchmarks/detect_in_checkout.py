"""Detect mentions with the library of one checkout: runs as JSON from standard input, mentions as JSON to the output.

A script of `benchmarks.precision`, started with PYTHONPATH set to a checkout, since one process cannot hold two
versions of the library. Modules that moved since the oldest version compared are found under either name. Taggers are
asked once per document, whatever the number of runs.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import torch


def _module(*names: str) -> Any:
    for name in names:
        try:
            return import_module(name)
        except ModuleNotFoundError:
            continue
    raise ModuleNotFoundError(names[0])


POLICIES = _module("deid.config.policy", "deid.policy")
DOCUMENTS = _module("deid.domain.document", "deid.document")
REGISTRY = _module("deid.detection.annotators.registry", "deid.detection.annotators.registry")
TAGGERS = ("crf", "bilstm_crf", "transformer")
_made: dict[str, Any] = {}
_distributions: dict[tuple[str, str], Any] = {}


class Remembered:
    """Tagger that keeps the distributions of each text for the next run."""

    def __init__(self, of: str, **options: Any) -> None:
        self._key = json.dumps([of, options], sort_keys=True)
        if self._key not in _made:
            _made[self._key] = REGISTRY.build(POLICIES.AnnotatorChoice(name=of, options=options))
        self._tagger = _made[self._key]
        self.name = of
        if hasattr(self._tagger, "labels"):
            self.labels = self._tagger.labels

    def distributions(self, readings: Sequence[Any]) -> list[Any]:
        """Return an array (tokens, tags) per reading."""
        new = {one.text: one for one in readings if (self._key, one.text) not in _distributions}
        for text, array in zip(new, self._tagger.distributions([*new.values()]), strict=True):
            _distributions[self._key, text] = array
        return [_distributions[self._key, one.text] for one in readings]

    def annotate_batch(self, readings: Sequence[Any]) -> Any:
        """Return the mentions of this tagger in each document."""
        return self._tagger.annotate_batch(readings)

    def annotate(self, reading: Any) -> Any:
        """Return the mentions of this tagger in one document."""
        return self.annotate_batch([reading])[0]


def policy_of(run: dict[str, Any]) -> Any:
    """Return the shipped policy that a run names, with its models and recall setting (nats for every label)."""
    policy = POLICIES.load(POLICIES.DEFAULT.parent / f"{run['policy']}.yaml")
    choices = []
    for choice in policy.detection.annotators:
        if choice.name in TAGGERS:
            options = dict(choice.options)
            if choice.name in run.get("models", {}):
                options["model"] = run["models"][choice.name]
            named = {"name": choice.name, "options": options}
            if not run.get("timed"):
                named = {"name": "__main__:Remembered", "options": {"of": choice.name, **options}}
            choice = POLICIES.AnnotatorChoice(**named)
        choices.append(choice)
    changed: dict[str, Any] = {"annotators": tuple(choices)}
    if run.get("nats") is not None:
        changed["recall"] = dict.fromkeys(policy.detection.recall, run["nats"])
    return policy.model_copy(update={"detection": policy.detection.model_copy(update=changed)})


def main() -> None:
    """Answer one request."""
    asked = json.load(sys.stdin)
    torch.set_num_threads(1)
    detector = import_module("deid.detection").Detector
    documents = [DOCUMENTS.Document(id=name, text=text) for name, text in asked["documents"]]
    found, seconds = {}, {}
    for run in asked["runs"]:
        using = detector(policy_of(run))
        if run.get("timed"):
            using.detect(documents[:20])  # tables and weights are read at the first documents
        began = time.process_time()
        mentions = using.detect(documents)
        seconds[run["name"]] = time.process_time() - began
        found[run["name"]] = [[[one.start, one.end, str(one.label)] for one in own] for own in mentions]
    json.dump({"found": found, "seconds": seconds}, sys.stdout)


if __name__ == "__main__":
    main()

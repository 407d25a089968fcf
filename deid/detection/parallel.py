"""Detection of large batches on several processes, order kept."""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from deid.config.policy import Policy
from deid.detection import garbage
from deid.detection.detector import Detector
from deid.detection.gazetteers import gazetteers, use
from deid.detection.lookup import LookupTable
from deid.detection.staff import NOBODY, Staff
from deid.domain.document import Document, Mention

_CHUNK = 64  # documents per message: enough to hide its cost, few enough to share the work evenly

_detector: Detector | None = None


def detect_parallel(
    policy: Policy, documents: Sequence[Document], workers: int | None = None, staff: Staff = NOBODY
) -> list[tuple[Mention, ...]]:
    """Mentions of each document, as `Detector.detect` gives them, computed by `workers` processes.

    Each process loads the tables once (about two seconds), so this pays from some hundred documents on.

    Args:
        policy: the policy, the same in each process.
        documents: the batch.
        workers: number of processes; None is one per core.
        staff: who works in the hospital, sent once to each process.

    Raises:
        PolicyError: the policy names an annotator that does not exist or options that it does not take.
    """
    workers = workers or os.cpu_count() or 1
    chunks = [documents[start : start + _CHUNK] for start in range(0, len(documents), _CHUNK)]
    if workers == 1 or len(chunks) < 2:
        return Detector(policy, staff).detect(documents)
    Detector.check(policy)
    # Spawned, not forked: a caller may hold threads or a database connection.
    names = gazetteers()
    with ProcessPoolExecutor(
        min(workers, len(chunks)),
        mp_context=get_context("spawn"),
        initializer=_load,
        initargs=(policy, staff, names.path, names.digest),
    ) as pool:
        return [mentions for found in pool.map(_detect, chunks) for mentions in found]


def _load(policy: Policy, staff: Staff, lookup: Path, digest: str) -> None:
    global _detector
    use(LookupTable(lookup, digest))
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch is imported: processes share the cores already
    _detector = Detector(policy, staff)
    garbage.settled()


def _detect(documents: Sequence[Document]) -> list[tuple[Mention, ...]]:
    if _detector is None:
        raise RuntimeError("the process was started without its detector")
    return _detector.detect(documents)

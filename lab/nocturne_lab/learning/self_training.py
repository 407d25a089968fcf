"""Training on documents that nobody annotated: on what two different models agree on, or on a teacher's distributions.

What is trained is kept only if it leaves more documents clean of direct identifiers than the model without these
documents; both are compared on annotated documents of authors left out. After a kill, the same call finds the model
without them, or its checkpoint, in `out / UNLABELLED`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from deid.config.policy import AnnotatorChoice, Policy
from deid.config.policy import load as load_policy
from deid.detection.annotators.registry import Tagger, build
from deid.detection.annotators.transformer.model_directory import CARD
from deid.detection.taggers.bilstm import EmbeddingRows
from deid.detection.taggers.tagging import MANIFEST_FILE, best_mentions
from deid.detection.taggers.tags import OUTSIDE
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused
from deid.domain.labels import Label
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.intervals import drawn_interval, redrawn
from nocturne_lab.evaluation.scoring import evaluate
from nocturne_lab.learning.ablation import RULES, judge_policy
from nocturne_lab.learning.checkpoints import replaced_folder
from nocturne_lab.learning.objectives import without_labels
from nocturne_lab.learning.taggers.examples import Distribution
from nocturne_lab.learning.taggers.training import Recipe, train_tagger, training_fingerprint
from nocturne_lab.learning.transformer.examples import split

SURE = 0.9  # least calibrated confidence of both models in what they agree on
HELD_OUT = 0.2  # share of the annotated documents, by author or patient, on which the models are compared
RECORD = "unlabelled.json"
UNLABELLED = ".unlabelled"  # folder of both models, until the better one is written
_BATCH = 64  # documents read at once


@dataclass(frozen=True, slots=True)
class Decision:
    """Comparison of the model with unlabelled documents and of that without, on the documents held out.

    `before`, `after` and `gain` are shares of clean documents, in [0, 1]; `low` and `high` bound the gain's 95 %
    interval (paired bootstrap of documents). `agreed` and `doubtful` count spans, both 0 in a distillation.
    """

    unlabelled: int
    agreed: int
    doubtful: int
    held_out: int
    before: float
    after: float
    gain: float
    low: float
    high: float

    @property
    def kept(self) -> bool:
        """Return whether the share of clean documents surely rises."""
        return self.low > 0

    @property
    def reason(self) -> str:
        """Return why the model was kept or not, in English."""
        said = f"{100 * self.gain:+.1f} points of clean documents ({100 * self.low:+.1f} to {100 * self.high:+.1f})"
        return f"{said}: the interval {'lies above' if self.kept else 'does not lie above'} 0"


def open_tagger(directory: Path) -> Tagger:
    """Return the annotator of a trained model's directory.

    Raises:
        InputRefused: it holds no model that gives distributions.
        PolicyError: the model cannot be loaded.
    """
    name = "transformer" if (directory / CARD).is_file() else ""
    if (directory / MANIFEST_FILE).is_file():
        name = str(json.loads((directory / MANIFEST_FILE).read_text(encoding="utf-8")).get("kind"))
    annotator = build(AnnotatorChoice(name=name, options={"model": str(directory)})) if name else None
    if not isinstance(annotator, Tagger):
        raise InputRefused(f"{directory.name} is no directory of a trained model.", "Give what a training wrote.")
    return annotator


def agree(documents: Sequence[Document], first: Tagger, second: Tagger, sure: float = SURE) -> list[GoldDocument]:
    """Label documents by what both models find: the same span and label, each with a confidence of at least `sure`.

    What only one finds, what one is not sure of, and tokens that one holds to be named with a probability above
    1 - `sure`, get a mention of confidence 0: training leaves their sentences out, instead of learning that nobody is
    named there.
    """
    found = []
    for at in range(0, len(documents), _BATCH):
        readings = [Reading(one) for one in documents[at : at + _BATCH]]
        pairs = zip(first.distributions(readings), second.distributions(readings), strict=True)
        for reading, (one, other) in zip(readings, pairs, strict=True):
            mentions = _agreed(reading, one, other, sure) if reading.starts else ()
            found.append(GoldDocument(reading.document, mentions, "unlabelled"))
    return found


def _agreed(reading: Reading, one: Distribution, other: Distribution, sure: float) -> tuple[Mention, ...]:
    arrays = [np.asarray(array, dtype=np.float32) for array in (one, other)]
    theirs, others = (
        {(mention.start, mention.end, mention.label): mention.score for mention in mentions}
        for mentions in best_mentions([reading, reading], arrays)
    )
    scores = {span: min(theirs[span], others[span]) for span in theirs.keys() & others.keys()}
    named = np.maximum(*(1 - array[:, OUTSIDE] for array in arrays)) > 1 - sure
    covered = {token for start, end, _ in scores for token in reading.tokens(Mention(start, end, Label.ID))}
    doubtful = [span[:2] for span in theirs.keys() | others.keys() if scores.get(span, 0.0) < sure]
    doubtful += [
        (reading.starts[at], reading.ends[at]) for at in np.flatnonzero(named & ~reading.breaks) if at not in covered
    ]
    doubts = [Mention(start, end, Label.ID, 0.0) for start, end in _joined(doubtful)]
    kept = [Mention(*span, score) for span, score in scores.items() if score >= sure]
    return tuple(sorted([*doubts, *(one for one in kept if not any(one.overlaps(doubt) for doubt in doubts))]))


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return sorted, disjoint spans that cover the same characters."""
    joined: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def self_train(
    kind: str,
    documents: Sequence[GoldDocument],
    unlabelled: Sequence[Document],
    second: Path,
    recipe: Recipe,
    out: Path,
    rows: EmbeddingRows | None = None,
) -> Decision:
    """Train a tagger on annotated documents and on those where it agrees with another model; keep the better.

    Args:
        kind: of the tagger, one of `nocturne_lab.learning.taggers.training.KINDS`.
        documents: annotated; a fifth, whole authors or else patients, is only compared on.
        unlabelled: nobody annotated them.
        second: directory of a trained model of another kind; it must not know the documents held out.
        recipe: every setting.
        out: folder of models; the better one is written to `out / kind`, the `Decision` to `out / RECORD`.
        rows: initial subword embeddings.

    Raises:
        InputRefused: the second model is of the same kind, or an input of the training is refused.
    """
    other = open_tagger(second)
    if other.name == kind:
        raise InputRefused(
            f"both models are of the kind {kind}: they err alike.", "Give a second model of another kind."
        )
    learned, held_out = split(documents, HELD_OUT, recipe.seed)
    with _without_others(kind, learned, recipe, out, rows) as before:
        labelled = agree(unlabelled, open_tagger(before), other)
        after = train_tagger(kind, [*learned, *labelled], recipe, before.parent / "after", rows)
        marks = [mention.score > 0 for one in labelled for mention in one.mentions]
        return _decided(kind, before, after, held_out, out, (len(unlabelled), sum(marks), len(marks) - sum(marks)))


def distil(
    documents: Sequence[GoldDocument],
    unlabelled: Sequence[Document],
    teacher: Path,
    recipe: Recipe,
    out: Path,
    rows: EmbeddingRows | None = None,
) -> Decision:
    """Train a BiLSTM-CRF on annotated documents and on a teacher's distributions; keep it only if it is better.

    The teacher speaks of the annotated documents too, beside their tags (Hinton et al. 2015); weight and temperature
    are those of `recipe.bilstm`. Arguments, result and errors are those of `self_train`.
    """
    kind = "bilstm_crf"
    learned, held_out = split(documents, HELD_OUT, recipe.seed)
    others = [without_labels(GoldDocument(one, (), "unlabelled")) for one in unlabelled if one.text.strip()]
    told = distributions(open_tagger(teacher), [one.document for one in (*learned, *others)])
    with _without_others(kind, learned, recipe, out, rows) as before:
        after = train_tagger(kind, [*learned, *others], recipe, before.parent / "after", rows, told)
        return _decided(kind, before, after, held_out, out, (len(others), 0, 0))


def distributions(teacher: Tagger, documents: Sequence[Document]) -> dict[str, Distribution]:
    """Return a model's distributions (tokens, tags), in half precision, by document id."""
    found: dict[str, Distribution] = {}
    for at in range(0, len(documents), _BATCH):
        readings = [Reading(one) for one in documents[at : at + _BATCH]]
        for reading, array in zip(readings, teacher.distributions(readings), strict=True):
            found[reading.document.id] = array.astype(np.float16)
    return found


@contextmanager
def _without_others(
    kind: str, learned: Sequence[GoldDocument], recipe: Recipe, out: Path, rows: EmbeddingRows | None
) -> Iterator[Path]:
    """Give the model without the unlabelled documents, trained unless an earlier call left it; removed at the end."""
    folder = out / UNLABELLED
    building = folder / training_fingerprint(kind, learned, recipe, rows)[:16]
    for other in folder.iterdir() if folder.is_dir() else ():
        if other != building:
            shutil.rmtree(other)  # of another corpus or recipe
    before = building / kind
    yield before if before.is_dir() else train_tagger(kind, learned, recipe, building, rows)
    shutil.rmtree(folder)


def _decided(
    kind: str, before: Path, after: Path, held_out: Sequence[GoldDocument], out: Path, counts: tuple[int, int, int]
) -> Decision:
    decision = compared(kind, before, after, held_out, counts)
    with replaced_folder(out / kind) as building:
        shutil.copytree(after if decision.kept else before, building, dirs_exist_ok=True)
    record = asdict(decision) | {"kept": decision.kept, "reason": decision.reason}
    (out / RECORD).write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return decision


def compared(
    kind: str, before: Path, after: Path, held_out: Sequence[GoldDocument], counts: tuple[int, int, int] = (0, 0, 0)
) -> Decision:
    """Compare two models, each with the rules, on documents of unknown patients, with the policy's recall."""
    unknown = [one.without_identity() for one in held_out]
    clean = [
        np.array([evaluate([one]).fully_redacted["direct"] for one in judge_policy(_policy(kind, model), unknown)])
        for model in (before, after)
    ]
    gains = (clean[1] - clean[0]).astype(np.float64)
    low, high = drawn_interval(gains[redrawn(len(gains))].mean(axis=1))
    unlabelled, agreed, doubtful = counts
    return Decision(
        unlabelled=unlabelled,
        agreed=agreed,
        doubtful=doubtful,
        held_out=len(gains),
        before=float(clean[0].mean()),
        after=float(clean[1].mean()),
        gain=float(gains.mean()),
        low=low,
        high=high,
    )


def _policy(kind: str, model: Path) -> Policy:
    base = load_policy()
    rules = [AnnotatorChoice(name=name) for name in RULES]
    choices = (*rules, AnnotatorChoice(name=kind, options={"model": str(model)}))
    changed = {"annotators": choices, "merge": "average"}
    return base.model_copy(update={"detection": base.detection.model_copy(update=changed)})

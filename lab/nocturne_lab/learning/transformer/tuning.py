"""Search for settings by the tree-structured Parzen estimator, by one worker or by several on a study in PostgreSQL.

Bergstra et al. 2011; Tchouka et al. 2023, section 4.1.
"""

from __future__ import annotations

import json
import logging
import shutil
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import matplotlib as mpl
import optuna
import yaml
from optuna.storages import BaseStorage, InMemoryStorage, RDBStorage, RetryHeartbeatStaleTrialCallback
from optuna.trial import TrialState
from sqlalchemy.exc import SQLAlchemyError

from deid.config.settings import settings
from deid.database.connection import unreachable
from deid.detection.annotators.transformer import model_directory
from deid.domain.errors import InputRefused, SettingsError
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.learning.transformer import studies
from nocturne_lab.learning.transformer.checkpoints import Checkpoints
from nocturne_lab.learning.transformer.examples import split
from nocturne_lab.learning.transformer.fine_tuning import fine_tune, start_directory
from nocturne_lab.learning.transformer.optimization import Machine, TrainingDiverged, seeded
from nocturne_lab.learning.transformer.plan import Plan
from nocturne_lab.learning.transformer.pretraining import pretrain
from nocturne_lab.learning.transformer.training import training_hash

log = logging.getLogger(__name__)

# Search space: epochs, length and batch as in Tchouka et al. 2023, and the learning rate, which depends on them.
SPACE: Mapping[str, Sequence[int]] = {
    "epochs": (5, 10, 15, 20, 30),
    "length": (64, 128, 256, 512),
    "batch": (16, 32, 64),
}
RATES = (1e-5, 1e-3)
BEST = "best.yaml"
_TRAINING = "training"  # attribute of a study: hash of what it tunes
_RETRIES = 3  # of a trial whose worker was killed
_GRACE = 3  # heartbeats that may be missing


def tune(
    plan: Plan,
    documents: Sequence[GoldDocument],
    folder: Path,
    trials: int,
    *,
    study: str | None = None,
    heartbeat_s: int = 60,
) -> Plan:
    """Return the plan with the best settings of `trials` fine-tunings, by F1 over tokens of the authors held out.

    Trials are not pruned by the median of the others: each has early stopping already. A training that diverges counts
    as F1 0. An own encoder is pre-trained once, in `folder/encoder`.

    With the setting `tuning_dsn`, the study lies in PostgreSQL, and workers that are given the same plan and documents
    share it: each ends when `trials` are complete in all, and returns the best of these. A trial whose worker was
    killed is done again, up to three times, from its checkpoint if the folder has it.

    Args:
        plan: the first trial; settings outside the search space stay.
        documents: annotated; `plan.fine_tuning.held_out` must hold some out.
        folder: holds `best.yaml`, plots (`*.svg`), an own encoder and, while they run, the checkpoints of trials.
        trials: number of trials.
        study: its name in PostgreSQL; None derives it from the plan and the documents.
        heartbeat_s: seconds between the signs of life of a worker; after three missing ones it counts as killed.

    Raises:
        SettingsError: no document is held out; a name without `tuning_dsn`; a study of another plan or other documents.
        WarehouseUnreachable, WarehouseError: the study's database does not answer, or refuses.
        InputRefused, PolicyError: as in training.
    """
    if not plan.fine_tuning.held_out:
        raise SettingsError("tuning needs documents held out.", "Give `fine_tuning.held_out` a share.")
    machine = Machine.of(plan.precision)
    if machine.processes.num_processes > 1:
        raise InputRefused("a worker of the tuning is one process.", "Start several workers on one study instead.")
    seeded(plan.seed)
    if plan.encoder is not None:
        start = folder / "encoder"
        learned, _ = split(documents, plan.fine_tuning.held_out, plan.seed)
        pretrain(plan, learned, start, machine)
    else:
        start = start_directory(plan)
    tokenizer = model_directory.matching_tokenizer(start, start.name)
    longest = model_directory.longest_input(json.loads((start / model_directory.CONFIG).read_text(encoding="utf-8")))

    def judged(trial: optuna.Trial) -> float:
        asked = _suggested(plan, trial, longest)
        seeded(plan.seed)
        original = RetryHeartbeatStaleTrialCallback.retried_trial_number(_frozen(trial))
        place = folder / f"trial-{trial.number if original is None else original}"
        checkpoints = Checkpoints(place, training_hash(asked, documents, start), plan.checkpoint_minutes)
        try:
            return fine_tune(asked, start, tokenizer, documents, machine, checkpoints).measures["token_f1"]
        except TrainingDiverged:
            return 0.0
        finally:
            shutil.rmtree(place, ignore_errors=True)

    optuna.logging.set_verbosity(optuna.logging.WARNING)
    with _study(plan, training_hash(plan, documents, None), study, heartbeat_s) as shared:
        shared.enqueue_trial(
            {name: getattr(plan.fine_tuning, name) for name in (*SPACE, "learning_rate")}, skip_if_exists=True
        )
        _search(shared, judged, trials)
        found = _best(shared, trials)
        log.info("best F1 %.4f in trial %d of %d", found.value, found.number + 1, len(shared.trials))
        best = _with(plan, found.params)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / BEST).write_text(yaml.safe_dump(best.model_dump(mode="json"), sort_keys=False), encoding="utf-8")
        plot(shared, folder)
    return best


def _search(study: optuna.Study, judged: Callable[[optuna.Trial], float], trials: int) -> None:
    """Do trials until `trials` are complete; a result that comes after its trial was counted as killed is dropped."""
    while _complete(study) < trials:
        try:
            study.optimize(judged, callbacks=[lambda one, _: one.stop() if _complete(one) >= trials else None])
        except AssertionError as error:
            if not isinstance(error.__context__, ValueError):  # which optuna raises for a trial that is not running
                raise
            log.warning("A trial was counted as killed while this worker was held up; its result is dropped.")


def plot(study: optuna.Study, folder: Path) -> None:
    """Draw the history, the importance of each setting and slices through the space to `folder`, as SVG.

    The importances (PED-ANOVA, Watanabe et al. 2023) need two trials of different scores.
    """
    from optuna.visualization import matplotlib as drawn

    figures: Mapping[str, Callable[[optuna.Study], Any]] = {
        "history": drawn.plot_optimization_history,
        "importances": drawn.plot_param_importances,
        "slices": drawn.plot_slice,
    }
    from matplotlib import pyplot

    mpl.use("agg")
    for name, draw in figures.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the module is marked experimental
            try:
                axes = draw(study)
            except (ValueError, RuntimeError):
                log.warning("There are too few trials for the plot %s.", name)
                continue
        figure = getattr(axes, "flat", [axes])[0].figure
        figure.savefig(folder / f"{name}.svg", bbox_inches="tight")
        pyplot.close(figure)


@contextmanager
def _study(plan: Plan, training: str, name: str | None, heartbeat_s: int) -> Iterator[optuna.Study]:
    given = settings().tuning_dsn
    if given is None:
        if name is not None:
            raise SettingsError("a study of a name is shared in PostgreSQL.", "Set NOCTURNE_TUNING_DSN.")
        yield _opened(InMemoryStorage(), optuna.samplers.TPESampler(seed=plan.seed), training, None)
        return
    dsn = given.get_secret_value()
    try:
        with studies.making_tables(dsn):
            storage = RDBStorage(
                "postgresql+psycopg2://",  # the address and password are in what `creator` opens, never in a URL
                {"creator": lambda: studies.open_study(dsn), "pool_pre_ping": True},
                heartbeat_interval=heartbeat_s,
                grace_period=_GRACE * heartbeat_s,
                heartbeat_stale_trial_callback=RetryHeartbeatStaleTrialCallback(max_retry=_RETRIES),
            )
        try:
            # Running trials count as bad ones, so that workers do not try the same place.
            sampler = optuna.samplers.TPESampler(constant_liar=True)
            yield _opened(storage, sampler, training, name or f"transformer-{training[:12]}")
        finally:
            storage.remove_session()
            storage.engine.dispose()
    except (SQLAlchemyError, optuna.exceptions.StorageInternalError):
        raise unreachable(dsn) from None


def _opened(
    storage: BaseStorage, sampler: optuna.samplers.BaseSampler, training: str, name: str | None
) -> optuna.Study:
    found = optuna.create_study(
        storage=storage, sampler=sampler, study_name=name, direction="maximize", load_if_exists=True
    )
    if found.user_attrs.get(_TRAINING, training) != training:
        raise SettingsError(
            f"study {name} is of another plan or other documents.", "Name another with --study, or none."
        )
    found.set_user_attr(_TRAINING, training)
    return found


def _complete(study: optuna.Study) -> int:
    return len(study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,)))


def _best(study: optuna.Study, trials: int) -> optuna.trial.FrozenTrial:
    """Return the best of the first complete trials: the same for each worker, whatever another completes later."""
    done = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
    first = sorted(done, key=lambda one: (one.datetime_complete or datetime.max, one.number))[:trials]
    return max(first, key=lambda one: (one.value or 0.0, -one.number))


def _frozen(trial: optuna.Trial) -> optuna.trial.FrozenTrial:
    return trial.study.trials[trial.number]


def _suggested(plan: Plan, trial: optuna.Trial, longest: int) -> Plan:
    chosen: dict[str, float] = {name: trial.suggest_categorical(name, _choices(plan, name, longest)) for name in SPACE}
    rate = plan.fine_tuning.learning_rate
    chosen["learning_rate"] = trial.suggest_float("learning_rate", min(RATES[0], rate), max(RATES[1], rate), log=True)
    return _with(plan, chosen)


def _choices(plan: Plan, name: str, longest: int) -> list[int]:
    """Return the values of the search space, the plan's own included, so that the first trial is the plan."""
    values = {*SPACE[name], getattr(plan.fine_tuning, name)}
    return sorted(value for value in values if name != "length" or value <= longest)


def _with(plan: Plan, chosen: Mapping[str, object]) -> Plan:
    values = plan.model_dump()
    values["fine_tuning"] |= chosen
    return Plan.model_validate(values)

"""Search for settings by the tree-structured Parzen estimator.

Bergstra et al. 2011; Tchouka et al. 2023, section 4.1.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from deid.detection.annotators.transformer import model_directory
from deid.domain.errors import SettingsError
from deid.evaluation.corpus import GoldDocument
from deid.learning.transformer.examples import split
from deid.learning.transformer.fine_tuning import fine_tune, start_directory
from deid.learning.transformer.optimization import Machine, seeded
from deid.learning.transformer.plan import Plan
from deid.learning.transformer.pretraining import pretrain

log = logging.getLogger(__name__)

# Search space: epochs, length and batch as in Tchouka et al. 2023, and the learning rate, which depends on them.
SPACE: Mapping[str, Sequence[float]] = {
    "epochs": (5, 10, 15, 20, 30),
    "length": (64, 128, 256, 512),
    "batch": (16, 32, 64),
}
RATES = (1e-5, 1e-3)


def tune(plan: Plan, documents: Sequence[GoldDocument], folder: Path, trials: int) -> Plan:
    """Return the plan with the best settings of `trials` fine-tunings, by F1 over tokens of the authors held out.

    An own encoder is pre-trained once, in `folder/encoder`. Trials are not pruned by the median of the others: each has
    early stopping already.

    Args:
        plan: the first trial; settings outside the search space stay.
        documents: annotated; `plan.fine_tuning.held_out` must hold some out.
        folder: folder of the encoder.
        trials: number of trials.

    Raises:
        SettingsError: optuna is not installed, or no document is held out.
        InputRefused, PolicyError: as in training.
    """
    optuna = _optuna()
    if not plan.fine_tuning.held_out:
        raise SettingsError("tuning needs documents held out.", "Give `fine_tuning.held_out` a share.")
    machine = Machine.of(plan.precision)
    seeded(plan.seed)
    if plan.encoder is not None:
        start = folder / "encoder"
        learned, _ = split(documents, plan.fine_tuning.held_out, plan.seed)
        pretrain(plan, learned, start, machine)
    else:
        start = start_directory(plan)
    tokenizer = model_directory.load_tokenizer(start, start.name)

    def judged(trial: Any) -> float:
        asked = _suggested(plan, trial)
        seeded(plan.seed)
        return float(fine_tune(asked, start, tokenizer, documents, machine).measures["token_f1"])

    study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler(seed=plan.seed))
    study.enqueue_trial({name: getattr(plan.fine_tuning, name) for name in (*SPACE, "learning_rate")})
    study.optimize(judged, n_trials=trials)
    log.info("best F1 %.4f in trial %d of %d", study.best_value, study.best_trial.number + 1, trials)
    return _with(plan, study.best_params)


def _suggested(plan: Plan, trial: Any) -> Plan:
    chosen = {name: trial.suggest_categorical(name, list(_choices(plan, name))) for name in SPACE}
    rate = plan.fine_tuning.learning_rate
    chosen["learning_rate"] = trial.suggest_float("learning_rate", min(RATES[0], rate), max(RATES[1], rate), log=True)
    return _with(plan, chosen)


def _choices(plan: Plan, name: str) -> list[float]:
    """Return the values of the search space, the plan's own included, so that the first trial is the plan."""
    return sorted({*SPACE[name], getattr(plan.fine_tuning, name)})


def _with(plan: Plan, chosen: Mapping[str, Any]) -> Plan:
    values = plan.model_dump()
    values["fine_tuning"] |= chosen
    return Plan.model_validate(values)


def _optuna() -> Any:
    try:
        optuna: Any = import_module("optuna")
    except ImportError:
        raise SettingsError(
            "tuning needs optuna, which is not installed.", "Install optuna, or train without --tune."
        ) from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna

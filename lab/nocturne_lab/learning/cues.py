"""Weights of named cues by multinomial logistic regression with an L2 penalty."""

from __future__ import annotations

from collections.abc import Sequence

import torch

Cues = Sequence[tuple[str, float]]


def fit_cues(examples: Sequence[tuple[Cues, int]], classes: int, ridge: float) -> dict[str, list[float]]:
    """Return cue → weights of the classes (nats, rounded to a thousandth), cues in alphabetical order.

    Minimises the summed cross-entropy of softmax(Σ value · weight) plus ridge · ‖weights‖² / 2, by L-BFGS.

    Args:
        examples: cues with their values, and the class in [0, classes).
        classes: number of classes.
        ridge: L2 penalty per weight.
    """
    names = sorted({name for cues, _ in examples for name, _ in cues})
    column = {name: at for at, name in enumerate(names)}
    values = torch.zeros(len(examples), len(names))
    for row, (cues, _) in enumerate(examples):
        for name, value in cues:
            values[row, column[name]] = value
    wanted = torch.tensor([one for _, one in examples])
    weights = torch.zeros(len(names), classes, requires_grad=True)
    optimiser = torch.optim.LBFGS([weights], max_iter=200, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        value = torch.nn.functional.cross_entropy(values @ weights, wanted, reduction="sum")
        value = value + ridge * weights.square().sum() / 2
        value.backward()  # type: ignore[no-untyped-call]
        return value

    optimiser.step(loss)  # type: ignore[no-untyped-call]
    return {name: [round(one, 3) for one in row] for name, row in zip(names, weights.tolist(), strict=True)}

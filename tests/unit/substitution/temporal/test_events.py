"""Events that the world dates: the kind alone is published, and no other date moves with them."""

from __future__ import annotations

from datetime import date

import pytest

from deid.config.policy import Policy, load
from deid.domain.document import Patient
from deid.reference import CommuneTable
from deid.substitution import Substitutor
from tests.unit.substitution.examples import KEY, changed, marked, surrogates

TOLD = [
    ("Sans toit depuis le [[cyclone Belal de janvier]].", "Sans toit depuis le cyclone."),
    ("Sans toit depuis [[Chido]].", "Sans toit depuis le cyclone."),
    ("Réfugiée après l'[[ouragan Irma (septembre 2017)]].", "Réfugiée après l'ouragan."),
    ("Blessée à l'[[attentat de Nice]].", "Blessée à l'attentat."),
    ("Rescapé des [[attentats du 13 novembre 2015]].", "Rescapé des attentats."),
    ("Dyspnée depuis l'[[explosion de l'usine AZF]].", "Dyspnée depuis l'explosion."),
    ("Veuve depuis la [[canicule de 2003]].", "Veuve depuis la canicule."),
    ("Mari mort ([[cyclone Hugo, 1989]]).", "Mari mort (cyclone)."),
    ("Chute au [[repas d'anniversaire]].", "Chute au repas."),
    ("Blessée à la [[canicule de juillet à août 2022]].", "Blessée à la canicule."),
    ("Rescapé des [[attentats parisiens du 13.11.2015]].", "Rescapé des attentats."),
]  # fmt: skip


@pytest.mark.parametrize(("told", "published"), TOLD)
def test_the_kind_alone_is_published(told: str, published: str, communes: CommuneTable) -> None:
    document, mentions = marked(told.replace("[[", "[[RELDATE|"), patient=Patient("p1"), reference_date=None)
    result = Substitutor(load(), KEY, communes).substitute(document, mentions)
    assert result.text == published
    assert not result.spends


def test_an_event_leaves_the_other_dates_as_they_are(communes: CommuneTable) -> None:
    text = "Vue le [[DATE|12/03/2025]]{}, opérée le [[DATE|20/03/2025]]."
    with_one, without = (
        Substitutor(load(), KEY, communes).substitute(*marked(text.format(more), reference_date=date(2025, 3, 28)))
        for more in (" après le [[RELDATE|cyclone Chido de décembre]]", "")
    )
    assert [surrogates(with_one)[at] for at in (0, 2)] == surrogates(without)


@pytest.mark.parametrize(("dates", "expected"), [("tag", "[RELDATE]"), ("generalise", "cyclone")])
def test_an_event_under_other_strategies(dates: str, expected: str, policy: Policy, communes: CommuneTable) -> None:
    chosen = changed(policy, dates={"strategy": dates})
    result = Substitutor(chosen, KEY, communes).substitute(*marked("le [[RELDATE|cyclone Chido]]"))
    assert surrogates(result) == [expected]

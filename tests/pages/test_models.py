"""A steward promotes, refuses and rolls back trained models in a real browser; what is stale is refused."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from deid.config.settings import settings
from deid.domain.errors import InputRefused
from deid.ledger import models
from deid.models.directories import directory_hash
from nocturne_lab.learning import progress
from tests.conftest import Database
from tests.pages.night import as_deployed
from tests.pages.serving import Server
from tests.pages.test_accessibility import violations

HTML = {"Accept": "text/html"}
REASON = "meilleur sur les lettres de cardiologie"
TAG = "<script>document.title = 'pris'</script>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, server: Server) -> Path:
    """The registry's folder of the API server."""
    assert server.url
    home = tmp_path_factory.getbasetemp() / "api-server0"
    return home / "models"


@pytest.fixture
def registered(folder: Path, database: Database) -> Iterator[list[str]]:
    """Three models of a kind, each compared with the one that ships; gone at the end of the test."""
    made: list[str] = []
    for number in range(3):
        building = folder / "crf" / f"new{number}"
        building.mkdir(parents=True)
        (building / "model.json").write_text(f'{{"kind": "crf", "number": {number}}}', encoding="utf-8")
        digest = directory_hash(building)
        (building / "README.md").write_text(
            f"# Fiche {TAG}\n\n<!-- nocturne: memorisation -->\n## Memorisation\n\nExposition 1,2 bits.\n"
            "<!-- /nocturne: memorisation -->\n",
            encoding="utf-8",
        )
        building.rename(folder / "crf" / digest)
        made.append(digest)
    figures = {
        f"{part}.{name}.{bound}": value
        for part, values in (
            ("candidate", (0.8, 0.7, 0.9)),
            ("serving", (0.7, 0.6, 0.8)),
            ("difference", (0.1, 0.02, 0.2)),
        )
        for name in (
            *("clean", "false", "recall/DATE", "recall/PATIENT", "clean/crh"),
            *("exact_f1/DATE", "token_precision/crh"),
        )
        for bound, value in zip(("value", "low", "high"), values, strict=True)
    }
    figures |= {f"{part}.exact_f1.{bound}": None for part in ("candidate", "serving") for bound in ("value", "low")}
    with as_deployed(database):
        for digest in made:
            models.insert_model("crf", digest, "a.dubois")
            models.record_comparison(digest, models.SHIPPED, {"documents": 60.0, **figures})
    yield made
    database.rows("TRUNCATE deid.model CASCADE")
    shutil.rmtree(folder / "crf")


def state(database: Database, digest: str) -> tuple[str, str | None]:
    ((found, who),) = database.rows("SELECT state, decided_by FROM deid.model WHERE hash = %s", (digest,))
    return str(found), who


def form(seen: str, chosen: str, **more: str) -> dict[str, str]:
    return {"seen": seen, "chosen": chosen, "reason": REASON, "confirmed": "yes", **more}


def test_a_steward_promotes_and_rolls_back_with_the_keyboard_alone(
    visit: Callable[..., Page], server: Server, database: Database, registered: list[str]
) -> None:
    first = registered[0]
    page = visit("intendante")
    page.goto(f"{server.pages}/models")
    expect(page.get_by_role("navigation").get_by_role("link", name="Modèles")).to_have_attribute("aria-current", "page")
    expect(page.locator("main")).to_contain_text("0,100 (0,020 à 0,200)")
    page.get_by_role("link", name=first[:12]).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text(first[:12])
    main = page.locator("main")
    expect(main).to_contain_text("Documents sans identifiant direct laissé")
    expect(main.get_by_role("row", name="Nom du patient")).to_contain_text("0,800 (0,700 à 0,900)")
    expect(main).to_contain_text("clean/crh")
    folded = main.locator("details")
    expect(folded.get_by_role("row")).to_have_count(0)
    folded.get_by_text("Précision, rappel et F1 de ce modèle").first.click()
    expect(folded.get_by_role("row", name="Date")).to_contain_text("0,800")
    expect(folded.get_by_role("row", name="crh")).to_contain_text("0,800")
    assert violations(page) == []
    expect(main).to_contain_text("Exposition 1,2 bits.")
    expect(main).to_contain_text(TAG)
    assert "pris" not in page.title()
    page.get_by_label("Motif").focus()
    page.keyboard.type(REASON)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Mettre ce modèle en service ?")
    assert state(database, first) == ("candidate", None), "nothing before the second step"
    page.get_by_role("button", name="Mettre en service").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".pill").first).to_have_text("en service")
    assert state(database, first) == ("serving", "intendante")
    assert database.rows("SELECT hash, reason FROM deid.model_promotion") == [(first, REASON)]
    page.get_by_label("Motif").fill("trop de mentions à tort")
    page.get_by_role("button", name="Revenir au modèle précédent").click()
    page.get_by_role("button", name="Revenir au modèle précédent").click()
    expect(page.locator(".pill").first).to_have_text("retiré")
    expect(page.get_by_role("button")).to_have_count(0)
    assert state(database, first) == ("retired", "intendante")
    lines = database.rows("SELECT action, actor FROM deid.audit WHERE action LIKE '%_model' ORDER BY seq")
    assert lines[-2:] == [("promote_model", "intendante"), ("roll_back_model", "intendante")]


def test_stale_and_incomplete_decisions_are_refused(
    server: Server, database: Database, registered: list[str], folder: Path
) -> None:
    _, second, third = registered

    def decide(digest: str, given: dict[str, str], account: str = "intendante") -> tuple[int, str]:
        answer = server.ask("POST", f"/models/{digest}/decision", account, data=given, headers=HTML)
        return answer.status_code, unescape(answer.text)

    status, said = decide(second, form("candidate", "promote", reason="  oui  "))
    assert (status, "exige un motif" in said) == (422, True)
    assert decide(second, form("candidate", "delete"))[0] == 422
    assert decide(second, form("candidate", "roll_back"))[0] == 409, "it does not serve"
    status, said = decide("f" * 64, form("candidate", "promote"))
    assert (status, "pas au registre" in said) == (404, True)
    assert server.get(f"/models/{second[:12]}").status_code == 404
    assert decide(second, form("candidate", "promote"), "exploitant")[0] == 403
    assert decide(second, form("candidate", "promote"), "lecteur")[0] == 403
    assert state(database, second) == ("candidate", None)
    assert decide(second, form("candidate", "promote"))[0] == 303
    status, said = decide(third, form("candidate", "promote"))  # the page showed another model in service
    assert (status, "Quelqu'un a décidé entre-temps" in said) == (409, True)
    status, said = decide(third, form(f"candidate {second}", "promote"))  # compared with the one that ships
    assert (status, "Quelqu'un a décidé entre-temps" in said) == (409, True)
    assert "comparer à nouveau" in unescape(server.get(f"/models/{third}").text)
    assert decide(third, form(f"candidate {second}", "refuse"))[0] == 303
    assert state(database, third) == ("refused", "intendante")
    with as_deployed(database):
        models.record_comparison(third, second, {"documents": 60.0})
    (folder / "crf" / third / "model.json").write_text("{}", encoding="utf-8")
    status, said = decide(third, form(f"candidate {second}", "promote"))
    assert (status, "ont été modifiés" in said) == (409, True)
    assert state(database, second) == ("serving", "intendante")


@pytest.fixture(scope="module")
def told(folder: Path) -> None:
    """Trainings that run, ended and failed, and rounds at each stage, as the steps tell them."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("NOCTURNE_MODELS", str(folder))
        settings.cache_clear()
        with progress.followed("essai1", "evaluate", kind="crf"):
            progress.note("trainings", "essai1", model="a" * 64)
        with pytest.raises(InputRefused), progress.followed("essai2", "collect", kind="flair"):
            raise InputRefused("no document.", "Give one.")
        with pytest.MonkeyPatch.context() as killed, progress.followed("essai3", "train", kind="transformer"):
            progress.tell_epoch("", 2, 5, 0.1234, 0.8765)
            killed.setattr(progress, "note", lambda *_, **__: None)  # no sign comes of its end
        given = {"claire": 12, "denis": 11}
        for name, changes in (
            ("tour1", {"returned": given, "faults": 1, "fleiss": 0.842, "undecided": 3}),
            ("tour2", {"returned": {"claire": 12}, "faults": 0}),
            ("tour3", {"returned": given, "faults": 0, "fleiss": 0.9, "undecided": 0}),
            ("tour4", {"returned": given, "faults": 0}),
        ):
            progress.note("rounds", name, given=given, **changes)
    settings.cache_clear()


@pytest.mark.usefixtures("told")
def test_a_steward_sees_which_trainings_run_and_which_rounds_are_open(
    visit: Callable[..., Page], server: Server
) -> None:
    page = visit("lecteur")
    page.goto(f"{server.pages}/models")
    running, ended, failed = (page.get_by_role("row", name=name) for name in ("essai3", "essai1", "essai2"))
    for word in ("transformer", "entraîner", "en cours", "2 sur 5", "0,1234", "0,8765"):
        expect(running).to_contain_text(word)
    expect(ended).to_contain_text("terminé")
    expect(ended.get_by_role("link")).to_have_attribute("href", f"/nocturne/models/{'a' * 64}")
    expect(failed).to_contain_text("échec")
    standing = {"tour1": "à arbitrer", "tour2": "chez les annotateurs", "tour3": "arbitré", "tour4": "rendu"}
    for name, said in standing.items():
        expect(page.get_by_role("row", name=name)).to_contain_text(said)
    for word in ("claire : 12 sur 12", "denis : 11 sur 11", "0,842", "3"):
        expect(page.get_by_role("row", name="tour1")).to_contain_text(word)
    expect(page.get_by_role("row", name="tour2")).to_contain_text("denis : 0 sur 11")
    page.goto(f"{server.pages}/models?lang=en")
    expect(page.get_by_role("row", name="tour2")).to_contain_text("with the annotators")
    expect(page.get_by_role("row", name="essai3")).to_contain_text("2 of 5")


@pytest.mark.parametrize(("account", "decides"), [("lecteur", False), ("exploitant", False), ("referente", True)])
def test_who_may_not_decide_sees_figures_and_no_button(
    server: Server, registered: list[str], account: str, decides: bool
) -> None:
    shown = unescape(server.get(f"/models/{registered[1]}", account, headers=HTML).text)
    assert "Documents sans identifiant direct laissé" in shown
    assert ('name="chosen"' in shown) == decides


@pytest.mark.usefixtures("told")
@pytest.mark.parametrize(("scheme", "lang"), [("light", "fr"), ("dark", "en")])
def test_axe_finds_nothing_to_say_about_a_model(
    visit: Callable[..., Page], server: Server, registered: list[str], scheme: str, lang: str
) -> None:
    page = visit("referente", lang=lang, color_scheme=scheme)
    for address in ("/models", f"/models/{registered[1]}"):
        page.goto(f"{server.pages}{address}")
        assert violations(page) == []
    page.get_by_role("textbox").fill(REASON)
    page.get_by_role("button").last.click()
    assert violations(page) == []
    page.set_viewport_size({"width": 320, "height": 640})
    for address in ("/models", f"/models/{registered[1]}"):
        page.goto(f"{server.pages}{address}")
        assert page.evaluate("document.documentElement.scrollWidth") <= 320

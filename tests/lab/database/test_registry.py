"""The registry of trained models: from a directory to a night that states its hash, and back."""

from __future__ import annotations

import json
import shutil
import tarfile
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from deid.cli import main
from deid.config.policy import AnnotatorChoice, Detection, Policy, load
from deid.config.settings import settings
from deid.detection import Detector
from deid.detection.annotators.registry import learned_names
from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused, PolicyError, WarehouseError
from deid.ledger import models
from deid.ledger.models import serving_models
from deid.models import FOLDER
from deid.models.directories import UNSHIPPED, directory_hash, place, with_models
from deid.nightly import runtime, steps
from deid.publication.publish import publish_interval
from nocturne_lab.evaluation.comparison import Outcome, compare_found
from nocturne_lab.evaluation.corpus import GoldDocument
from nocturne_lab.evaluation.markup import parse_marked, write_marked
from nocturne_lab.learning import memorisation, registry
from nocturne_lab.learning.memorisation import record_canaries, with_canaries
from nocturne_lab.learning.taggers.training import corpus_fingerprint, train_tagger
from tests.conftest import Database
from tests.database.warehouse.nights import night
from tests.database.warehouse.small_hospital import DAY, NIGHT, open_hospital, put
from tests.lab.learning.taggers.test_checkpoints import TINY, letters

POLICY = """extends: default
name: own
detection:
  annotators: [{name: patterns}, {name: context}, {name: identity}, {name: crf, options: {model: registry}}]
promotion: {least_documents: 2}
quality: {max_quarantined_share: 1, warn_quarantined_share: 1}
"""
REASON = "relu sur cent lettres"
Make = Callable[..., Path]


@pytest.fixture
def hospital(deployed: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Database:
    """A hospital of one letter, whose policy takes its CRF from the registry; `doctor` asks no Airflow here."""
    monkeypatch.delenv("AIRFLOW_HOME", raising=False)
    path = tmp_path / "policy.yaml"
    path.write_text(POLICY, encoding="utf-8")
    monkeypatch.setenv("NOCTURNE_POLICY", str(path))
    settings.cache_clear()
    open_hospital(deployed)
    put(deployed, "letter")
    return deployed


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """A directory with the CRF that ships, calibrated by another temperature: another model."""

    def directory(temperature: float = 2.0, **other: object) -> Path:
        folder = tmp_path / f"crf-{temperature}-{len(other)}"
        shutil.copytree(FOLDER / "crf", folder, ignore=shutil.ignore_patterns("README.md"))
        manifest = json.loads((folder / "model.json").read_text())
        (folder / "model.json").write_text(json.dumps(manifest | {"temperature": temperature} | other))
        return folder

    return directory


def gold(*texts: str) -> list[GoldDocument]:
    marked = [parse_marked(text, "letter") for text in texts]
    return [GoldDocument(Document(str(at), text), mentions, "w") for at, (text, mentions) in enumerate(marked)]


DOCUMENTS = gold(
    "Le [[DATE|12 mars 2024]], Mme [[PATIENT|Vasserot]] est revue par le Dr [[DOCTOR|Tréguier]].",
    "M. [[PATIENT|Quillec]], né le [[DATE|3/4/1950]], vu ce jour. Bisoprolol 2,5 mg.",
)


def ready(directory: Path) -> str:
    """Register a model and compare it with what serves."""
    digest = registry.register(directory, "alice")
    registry.compare(digest, DOCUMENTS)
    return digest


def states(hospital: Database) -> dict[str, str]:
    return dict(hospital.rows("SELECT hash, state FROM deid.model"))


def test_a_promoted_model_is_stated_by_every_night_and_its_documents_are_done_again(
    hospital: Database, make: Make
) -> None:
    night("shipped")
    digest = ready(make())
    assert steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="candidate") == []
    models.promote_model(digest, "alice", REASON)
    night("promoted")
    runs = hospital.rows("SELECT models, detector_version, planned FROM deid.run ORDER BY run_id")
    assert [found for found, _, _ in runs] == [{}, {}, {"crf": digest}]
    assert [f"crf@{digest[:12]}" in version for _, version, _ in runs] == [False, False, True]
    assert [planned for _, _, planned in runs] == [1, 0, 1], "as after any other change of the pipeline"
    stamps = hospital.rows("SELECT DISTINCT detector_version FROM research.document")
    assert stamps == [(runtime.detector_version(),)]
    models.roll_back_model("crf", "alice")
    assert serving_models(runtime.policy()) == {}
    assert "crf@" not in runtime.detector_version()


@pytest.mark.usefixtures("english")
@pytest.mark.parametrize("kind", sorted(UNSHIPPED))
@pytest.mark.slow
def test_the_first_model_of_a_kind_that_does_not_ship_is_compared_promoted_served_and_rolled_back(
    hospital: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str], kind: str
) -> None:
    policy = settings().policy
    assert policy is not None
    policy.write_text(POLICY.replace("name: crf", f"name: {kind}"), encoding="utf-8")
    night("before")
    ((published,),) = hospital.rows("SELECT DISTINCT detector_version FROM research.document")
    assert published.endswith(f"+{kind}@none"), "the policy asks for what did not run"
    assert f"none ships: the night goes without {kind}" in doctor(capsys)[0]
    digest = registry.register(train_tagger(kind, letters(), TINY, tmp_path / "trained"), "alice")
    with pytest.raises(InputRefused, match="never compared: none of its kind serves"):
        models.promote_model(digest, "alice", REASON)
    result = registry.compare(digest, DOCUMENTS)
    assert (result.first, result.against) == (True, "")
    without = Detector(with_models(load(policy), {})).detect([one.document for one in DOCUMENTS])
    assert result.serving == compare_found(DOCUMENTS, without, without).serving
    card = (place(kind, digest) / "README.md").read_text(encoding="utf-8")
    assert "against the detector without this annotator, of which no model ships" in card
    models.promote_model(digest, "alice", REASON)
    night("promoted")
    assert Detector.check(with_models(load(policy), serving_models(runtime.policy())))[-1].name == kind
    assert models.roll_back_model(kind, "alice") == ""
    night("after")
    runs = hospital.rows("SELECT models, detector_version FROM deid.run ORDER BY run_id")
    assert [found for found, _ in runs] == [{}, {kind: digest}, {}]
    before, promoted, after = (version for _, version in runs)
    assert before == after == published
    assert promoted.endswith(f"+{kind}@{digest[:12]}")
    ((planned,),) = hospital.rows("SELECT planned FROM deid.run ORDER BY run_id OFFSET 1 LIMIT 1")
    assert planned == 1, "as after any other change of the detector"


@pytest.mark.usefixtures("deployed")
def test_a_policy_whose_every_annotator_lacks_a_model_is_refused() -> None:
    alone = Policy(detection=Detection(annotators=(AnnotatorChoice(name="flair", options={"model": "registry"}),)))
    with pytest.raises(PolicyError, match="only annotators without a model: flair"):
        with_models(alone, {})


def test_every_learned_annotator_ships_a_model_but_those_said_not_to() -> None:
    assert {kind for kind in learned_names() if not (FOLDER / kind).is_dir()} == UNSHIPPED


def test_a_night_keeps_the_model_that_it_began_with(hospital: Database, make: Make) -> None:
    digest = ready(make())
    (batch,) = steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="night")
    models.promote_model(digest, "alice", REASON)
    for step in (steps.detect, steps.substitute, steps.validate):
        step(batch["run_id"], batch["batch_id"])
    staged = steps.stage(batch["run_id"])
    assert publish_interval(staged["interval_key"])["published"] == 1
    assert hospital.rows("SELECT models FROM deid.run") == [({},)]


@pytest.mark.parametrize("fault", ["missing", "altered", "added"])
def test_a_model_that_is_gone_or_altered_stops_the_night_and_nothing_takes_its_place(
    hospital: Database, make: Make, fault: str
) -> None:
    digest = ready(make())
    models.promote_model(digest, "alice", REASON)
    (batch,) = steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="night")
    folder = place("crf", digest)
    if fault == "missing":
        shutil.rmtree(folder)
    elif fault == "added":
        (folder / "extra.json").write_text("{}")
    else:
        (folder / "model.json").write_text((folder / "model.json").read_text() + "\n")
    with pytest.raises(PolicyError, match=r"models rollback crf"):
        steps.detect(batch["run_id"], batch["batch_id"])
    with pytest.raises(PolicyError, match=r"NOCTURNE_MODELS|altered"):
        steps.plan(interval_start=NIGHT, interval_end=NIGHT + DAY, triggered_by="next")
    assert hospital.rows("SELECT count(*) FROM deid.run") == [(1,)]
    models.roll_back_model("crf", "alice", "dossier perdu")
    assert night("after")["published"] == 1


def test_rollbacks_go_back_one_promotion_at_a_time_to_the_model_that_ships(hospital: Database, make: Make) -> None:
    first, second = ready(make(2.0)), registry.register(make(3.0))
    models.promote_model(first, "alice", REASON)
    registry.compare(second, DOCUMENTS)
    models.promote_model(second, "bob", REASON)
    models.promote_model(first, "alice", REASON)  # a retired one serves again
    assert states(hospital) == {first: "serving", second: "retired"}
    assert [models.roll_back_model("crf", "bob") for _ in range(3)] == [second, first, ""]
    assert set(states(hospital).values()) == {"retired"}
    with pytest.raises(InputRefused, match="no promoted model"):
        models.roll_back_model("crf", "bob")
    actions = hospital.rows("SELECT action, count(*) FROM deid.audit WHERE action LIKE '%%model' GROUP BY 1 ORDER BY 1")
    assert actions == [("promote_model", 3), ("register_model", 2), ("roll_back_model", 3)]


def test_a_decision_needs_a_known_model_a_reason_a_fresh_comparison_and_the_power(
    hospital: Database, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    digest, other = registry.register(make(2.0)), registry.register(make(3.0))
    for unknown in ("abcdef", "", "%"):
        with pytest.raises(InputRefused, match="no model"):
            models.promote_model(unknown, "alice", REASON)
    with pytest.raises(InputRefused, match="never compared"):
        models.promote_model(digest, "alice", REASON)
    for one in (digest, other):
        registry.compare(one, DOCUMENTS)
    for reason in ("", "     court   ", "x" * 201):
        with pytest.raises(InputRefused, match="needs a reason"):
            models.promote_model(digest, "alice", reason)
    models.promote_model(digest[:10], "alice", REASON)
    with pytest.raises(InputRefused, match="serves already"):
        models.promote_model(digest, "alice", REASON)
    with pytest.raises(InputRefused, match="compared with another"):
        models.promote_model(other, "alice", REASON)
    models.refuse_model(other, "alice", REASON)
    with pytest.raises(InputRefused, match="was refused: relu sur cent"):
        models.promote_model(other, "alice", REASON)
    registry.compare(other, DOCUMENTS)
    assert states(hospital) == {digest: "serving", other: "candidate"}
    monkeypatch.setenv("NOCTURNE_STEWARD_DSN", hospital.dsn("researcher"))
    settings.cache_clear()
    with pytest.raises(WarehouseError, match="lacks a privilege"):
        models.promote_model(other, "mallory", REASON)


def test_of_two_promotions_at_once_the_second_finds_that_another_model_serves(hospital: Database, make: Make) -> None:
    both = [registry.register(make(2.0)), registry.register(make(3.0))]
    for digest in both:
        registry.compare(digest, DOCUMENTS)
    refused, start = [], threading.Barrier(2)

    def decide(digest: str) -> None:
        start.wait()
        try:
            models.promote_model(digest, "alice", REASON)
        except InputRefused as refusal:
            refused.append(str(refusal))

    threads = [threading.Thread(target=decide, args=(digest,)) for digest in both]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 1
    assert "compared with another model" in refused[0]
    assert sorted(states(hospital).values()) == ["candidate", "serving"]


def test_what_is_no_model_of_this_release_is_not_registered(hospital: Database, make: Make, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(InputRefused, match="is no model"):
        registry.register(empty)
    with pytest.raises(PolicyError, match="other features or labels"):
        registry.register(make(2.0, features="0123456789abcdef"))
    linked = make(4.0)
    (linked / "notes.txt").symlink_to(empty)
    with pytest.raises(InputRefused, match="no plain file"):
        registry.register(linked)
    assert states(hospital) == {}
    assert not list(settings().registry.glob("*/*"))


def test_registering_twice_changes_nothing(hospital: Database, make: Make) -> None:
    directory = make()
    digest = registry.register(directory, "alice")
    card = (place("crf", digest) / "README.md").read_text()
    assert card.startswith("---\nlicense: other\n")
    assert "f410737e96ad2f48" in card, "the corpus that it was trained on"
    (place("crf", digest) / "README.md").write_text(card + "\nLu par le DPO.\n")
    assert registry.register(directory, "bob") == digest
    assert hospital.rows("SELECT hash, registered_by FROM deid.model") == [(digest, "alice")]
    registry.compare(digest, DOCUMENTS)
    card = (place("crf", digest) / "README.md").read_text()
    assert "Lu par le DPO." in card
    assert "| recall/PATIENT |" in card
    assert "<details><summary>This model by label" in card
    assert "\n| PATIENT | " in card.partition("<details>")[2]
    ((metrics,),) = hospital.rows("SELECT metrics FROM deid.model")
    assert all(value is None or isinstance(value, int | float) for value in metrics.values())
    assert metrics["documents"] == 2


@pytest.mark.usefixtures("hospital")
def test_a_model_of_an_annotator_that_the_policy_lacks_is_not_compared(make: Make) -> None:
    digest = registry.register(make())
    with pytest.raises(PolicyError, match="no annotator crf"):
        registry.compare(digest, DOCUMENTS, load())
    with pytest.raises(InputRefused, match="no annotated document"):
        registry.compare(digest, [])


@pytest.mark.parametrize(
    ("outcome", "state", "actor"),
    [(Outcome.PROMOTE, "serving", "policy"), (Outcome.REFUSE, "refused", "policy"), (Outcome.WAIT, "candidate", None)],
)
def test_the_rule_of_the_policy_decides_in_the_name_of_the_policy(
    hospital: Database, make: Make, outcome: Outcome, state: str, actor: str | None
) -> None:
    digest = registry.register(make())
    found = [one.mentions for one in DOCUMENTS]
    nothing: list[tuple[Mention, ...]] = [()] * len(DOCUMENTS)
    ours = {Outcome.PROMOTE: found, Outcome.REFUSE: nothing, Outcome.WAIT: found}[outcome]
    theirs = {Outcome.PROMOTE: nothing, Outcome.REFUSE: found, Outcome.WAIT: found}[outcome]
    comparison = compare_found(DOCUMENTS, ours, theirs, digest)
    models.record_comparison(digest, "", comparison.numbers())
    assert registry.settle(comparison).outcome is outcome
    assert hospital.rows("SELECT state, decided_by FROM deid.model") == [(state, actor)]
    if outcome is Outcome.PROMOTE:
        with pytest.raises(InputRefused, match="serves already"):
            registry.settle(comparison)


def test_what_a_model_or_the_one_that_serves_learned_is_not_compared_on(
    hospital: Database, make: Make, caplog: pytest.LogCaptureFixture
) -> None:
    serving, digest = registry.register(make(2.0), learned={"0"}), registry.register(make(3.0), learned={"9"})
    registry.compare(serving, DOCUMENTS[1:])
    models.promote_model(serving, "alice", REASON)
    assert registry.compare(digest, DOCUMENTS).documents == 1
    assert "1 documents that one of both models learned from are not compared on: 0" in caplog.messages
    with pytest.raises(InputRefused, match="learned from every document given"):
        registry.compare(digest, DOCUMENTS[:1])
    assert states(hospital) == {serving: "serving", digest: "candidate"}


def test_a_model_leaves_once_its_check_allows_it_and_not_before(
    hospital: Database, make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memorisation, "DRAWS", 255)
    directory, archive = make(), tmp_path / "crf.tar.gz"
    with pytest.raises(InputRefused, match="no model of the registry"):
        registry.export(directory, archive, DOCUMENTS, "alice")
    learned = {one.document.id for one in DOCUMENTS}
    registry.register(directory)
    with pytest.raises(InputRefused, match="not all that model"):
        registry.export(directory, archive, DOCUMENTS, "alice")
    registry.register(directory, learned=learned)
    with pytest.raises(InputRefused, match="not all that model"):
        registry.export(directory, archive, DOCUMENTS, "alice")  # it was trained on more than these
    plain = make(2.0, training={"documents": 2})
    registry.register(plain, learned=learned)
    with pytest.raises(InputRefused, match="no canary was planted"):
        registry.export(plain, archive, DOCUMENTS, "alice")
    planted = make(3.0, training={"corpus": corpus_fingerprint(with_canaries(DOCUMENTS, 7))})
    record_canaries(planted, 7)  # none of them is in the corpus of the model that ships: exposed by chance alone
    digest = registry.register(planted)
    with pytest.raises(InputRefused, match="not searched"):
        registry.export(planted, archive, None, "alice")
    with pytest.raises(InputRefused, match=r"not all that model .*models register"):
        registry.export(planted, archive, DOCUMENTS[:1], "alice")
    (planted / "vocabulary.txt").write_text("vrelotaque")
    other = registry.register(planted, learned={"0"})
    with pytest.raises(InputRefused, match="names of the training corpus stand in vocabulary"):
        registry.export(planted, archive, gold("M. [[PATIENT|Vrélotaque]]"), "alice")
    assert not archive.exists()
    registry.check(place("crf", digest), DOCUMENTS[1:])
    with pytest.raises(InputRefused, match="not searched"):
        registry.export(place("crf", digest), archive, None, "alice")
    found = registry.check(place("crf", digest), DOCUMENTS)
    assert registry.export(place("crf", digest), archive, None, "alice") == found, "the corpus may be gone by now"
    with tarfile.open(archive) as packed:
        entries = packed.getmembers()
        card = packed.extractfile(f"crf-{digest[:12]}/README.md")
        assert card is not None
        assert "This model may leave." in card.read().decode()
        packed.extractall(tmp_path / "there", filter="data")
    assert {(one.uname, one.uid, one.mtime) for one in entries} == {("", 0, 0)}
    assert directory_hash(tmp_path / "there" / f"crf-{digest[:12]}") == digest
    with pytest.raises(InputRefused, match="exists"):
        registry.export(place("crf", digest), archive, DOCUMENTS, "alice")
    ((about, details),) = hospital.rows("SELECT object, details FROM deid.audit WHERE action = 'export_model'")
    assert about == f"model crf/{digest}"
    assert details["exposure"] < details["bound"]
    assert set(states(hospital)) >= {digest, other}
    shared = make(4.0, training={"open_corpora": {"wikiner_fr_train.jsonl.gz": "CC BY-SA"}, "documents": 2})
    record_canaries(shared, 7)
    registry.register(shared, learned=learned)
    taken = tmp_path / "shared.tar.gz"
    with pytest.raises(InputRefused, match=r"licence other contradicts .* wikiner.*--licence cc-by-sa"):
        registry.export(shared, taken, DOCUMENTS, "alice")
    registry.export(shared, taken, DOCUMENTS, "alice", licence="cc-by-sa-4.0")
    with tarfile.open(taken) as packed:
        (name,) = (one for one in packed.getnames() if one.endswith("README.md"))
        card = packed.extractfile(name)
        assert card is not None
        assert card.read().decode().startswith("---\nlicense: cc-by-sa-4.0\n")


@pytest.mark.usefixtures("english")
@pytest.mark.slow
def test_the_commands_of_the_registry(
    hospital: Database, make: Make, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def nocturne(*arguments: str, status: int = 0) -> tuple[str, str]:
        capsys.readouterr()
        assert main(["models", *arguments]) == status, arguments
        said = capsys.readouterr()
        return said.out, said.err

    corpus = tmp_path / "corpus"
    corpus.mkdir()
    for one in DOCUMENTS:
        (corpus / f"w-{one.document.id}.txt").write_text(write_marked(one.document.text, one.mentions))
    digest = json.loads(nocturne("register", str(make()))[0])["hash"]
    assert json.loads(nocturne("list", "--kind", "crf")[0])["state"] == "candidate"
    table, _ = nocturne("evaluate", digest[:8], str(corpus))
    assert "| clean" in table
    assert "\n| PATIENT | " in table
    assert "The rule would wait for a person's decision" in table
    figures = json.loads(nocturne("evaluate", digest[:8], str(corpus), "--json")[0])
    assert (figures["documents"], figures["outcome"]) == (2, "wait")
    assert json.loads(nocturne("show", digest)[0])["metrics"]["documents"] == 2
    assert "needs a reason" in nocturne("promote", digest, "--reason", "oui", status=2)[1]
    out, said = nocturne("promote", digest, "--reason", REASON)
    assert json.loads(out) == {"kind": "crf", "serving": digest}
    assert said == ""
    assert json.loads(nocturne("list")[0])["state"] == "serving"
    assert "models" in (diagnosed := doctor(capsys)[0])
    assert f"crf@{digest[:12]}" in diagnosed
    assert json.loads(nocturne("rollback", "crf", "--reason", "trop de faux")[0]) == {"kind": "crf", "serving": None}
    assert "no model in service in the registry, the model that ships: crf" in doctor(capsys)[0]
    assert "no promoted model" in nocturne("rollback", "crf", status=2)[1]
    assert "no model of the registry" in nocturne("show", "ffff", status=2)[1]
    assert hospital.rows("SELECT count(*) FROM deid.model_promotion WHERE rolled_back_at IS NOT NULL") == [(1,)]


def doctor(capsys: pytest.CaptureFixture[str]) -> tuple[str, str]:
    capsys.readouterr()
    main(["doctor"])
    said = capsys.readouterr()
    return said.out, said.err


@pytest.mark.usefixtures("english")
@pytest.mark.usefixtures("hospital")
def test_without_a_database_a_policy_that_asks_the_registry_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("NOCTURNE_WORKER_DSN")
    settings.cache_clear()
    assert main(["policy", "validate"]) == 2
    assert "NOCTURNE_WORKER_DSN is not set" in capsys.readouterr().err
    assert "the policy asks the registry, which cannot be read here" in doctor(capsys)[0]
    with pytest.raises(PolicyError, match="asks the registry"):
        Detector(runtime.policy())

"""Checks of this machine: settings, policy, models, secret, disks."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from deid.config.policy import load
from deid.config.settings import Settings, settings
from deid.detection import Detector
from deid.detection.annotators.registry import learned_names
from deid.doctor.finding import Finding, attention, error, given_roles, not_applicable, ok, why
from deid.domain.errors import PolicyError, SettingsError, WarehouseError
from deid.ledger.models import serving_models
from deid.models.directories import ABSENT, absent_kinds, asked_kinds, stamps, with_models
from deid.refresh.configuration import configured_features
from deid.schema.provision import ROLES
from deid.source.contract import Source
from deid.source.file_shares import silent_roots

# Variables that others than `deid.config.settings` read: containers, Airflow's plugins, the demonstration, the tests.
_OTHERS = frozenset(
    """
    ADMIN_EMAIL ADMIN_USER AIRFLOW_DSN AIRFLOW_PORT ALERT_CONNECTION ALERT_NOTIFIER DEVICE LAB_QUEUE LANG LOG_FORMAT
    IMAGE GPU_IMAGE POD_TEMPLATE PORT POSTGRES_DB POSTGRES_HOST POSTGRES_USER REDIS_HOST ROOT SECRET_CONNECTION TEST_DSN
    READER_CONNECTION IDENTITY_CONNECTION WORKER_CONNECTION REFRESHER_CONNECTION PUBLISHER_CONNECTION STEWARD_CONNECTION
    TUNING_CONNECTION
    """.split()
)
_GB = 10**9
_LEARNED = tuple(f"{kind}{sign}" for kind in learned_names() for sign in "-@")  # as versions name models
_CERTIFICATE_DAYS = 30
_TRAINING_DAYS = 7  # a step of a training ends or writes a file sooner, its retries included
# Free bytes under which a folder is an error, and under which it wants attention.
_FREE = {"NOCTURNE_HOME": (1 * _GB, 5 * _GB), "lookup": (_GB // 5, 1 * _GB)}


def check_settings() -> Iterator[Finding]:
    """Check that variables are known and of the right kind, and that a database is named."""
    try:
        settings()
    except SettingsError as refusal:
        yield error("settings", f"a variable cannot be read: {why(refusal)}", "See docs/operators.md, “Settings”.")
        return
    names = {f"NOCTURNE_{name.upper()}" for name in Settings.model_fields} | {f"NOCTURNE_{name}" for name in _OTHERS}
    unknown = sorted(name for name in os.environ if name.startswith("NOCTURNE_") and name not in names)
    if unknown:
        yield attention("settings", f"unknown, hence ignored: {', '.join(unknown)}", "Correct the name, or remove it.")
    if given := given_roles(ROLES):
        yield ok("settings", f"read; databases named for {', '.join(given)}")
    else:
        remedy = "Give the NOCTURNE_…_DSN (docs/operators.md), or run `make demo` for a trial."
        yield attention("settings", "no database is named: only the commands on files work", remedy)


def check_policy() -> Iterator[Finding]:
    """Check that the policy and the configuration of references can be read."""
    try:
        policy = load(settings().policy)
        yield ok("policy", f"{policy.name}, {policy.digest[:8]}")
    except PolicyError as refusal:
        remedy = "Correct the file: python -m deid policy validate FILE."
        yield error("policy", f"policy refused: {why(refusal)}", remedy)
    try:
        configured_features()
    except SettingsError as refusal:
        yield error("references", f"NOCTURNE_REFERENCES refused: {why(refusal)}", "Correct this file.")
    try:
        Source(settings().source).rules()
    except SettingsError as refusal:
        yield error("source", f"NOCTURNE_SOURCE refused: {why(refusal)}", "Name a folder of sql/sources.")
    except PolicyError as refusal:
        yield error("source", f"formats.yaml refused: {why(refusal)}", "Correct this file (docs/formats.md).")
    yield from _check_roots()


def _check_roots() -> Iterator[Finding]:
    """Check that the folders of the source's files answer."""
    try:
        silent = silent_roots()
    except SettingsError as refusal:
        yield error("folders of files", why(refusal), "Install the driver on each machine (docs/operators.md).")
        return
    if silent:
        remedy = "Mount the share or start the service, or correct NOCTURNE_FILE_ROOTS."
        yield error("folders of files", f"no answer: {', '.join(silent)}", remedy)
    elif settings().roots:
        yield ok("folders of files", f"{len(settings().roots)} answer")


def check_models() -> Iterator[Finding]:
    """Check that every model of the policy is the one that training wrote, by its digest."""
    try:
        policy = load(settings().policy)
    except PolicyError:
        yield not_applicable("models", "the policy cannot be read")
        return
    try:
        models = serving_models(policy)
    except (SettingsError, WarehouseError) as refusal:
        remedy = "Give NOCTURNE_WORKER_DSN, or name a folder in the policy (docs/training.md)."
        yield attention("models", f"the policy asks the registry, which cannot be read here: {why(refusal)}", remedy)
        return
    try:
        version = "+".join((Detector(with_models(policy, models)).version, *stamps(policy, models)))
    except PolicyError as refusal:
        remedy = "Restore the model's folder, or reinstall Nocturne if it is a model that ships."
        yield error("models", f"refused: {why(refusal)}", remedy)
        return
    absent = absent_kinds(policy, models)
    learned = [name for name in version.split("+") if name.startswith(_LEARNED) and not name.endswith(f"@{ABSENT}")]
    remedy = "Put one in service: python -m deid models promote DIGEST; or no longer ask the registry."
    if shipped := [kind for kind in asked_kinds(policy) if kind not in models and kind not in absent]:
        yield attention(
            "models", f"no model in service in the registry, the model that ships: {', '.join(shipped)}", remedy
        )
    if absent:
        told = "no model in service in the registry, and none ships: the night goes without"
        yield attention("models", f"{told} {', '.join(absent)}", remedy)
    if learned:
        yield ok("models", f"digests verified: {', '.join(learned)}")
    else:
        yield not_applicable("models", "this policy uses none")


def check_secret() -> Iterator[Finding]:
    """Check that the secret is there, readable and random; not that the ledger knows it."""
    chosen = settings()
    if chosen.secret is None and chosen.secret_file is None:
        if os.environ.get("NOCTURNE_SECRET_CONNECTION"):
            yield not_applicable("secret", "held by a connection of Airflow, which its tasks read")
        elif chosen.worker_dsn is None:
            yield not_applicable("secret", "this machine draws no surrogate (neither secret nor NOCTURNE_WORKER_DSN)")
        else:
            remedy = "Create it: python -m deid key new FILE, then NOCTURNE_SECRET_FILE (docs/keys.md)."
            yield error("secret", "absent, although this machine processes documents", remedy)
        return
    try:
        ring = chosen.keyring
    except SettingsError as refusal:
        yield error(
            "secret",
            f"refused: {why(refusal)}",
            "Correct this entry, or create a secret: python -m deid key new (docs/keys.md).",
        )
        return
    held = ", ".join(f"version {key.version} ({key.fingerprint})" for key in ring.keys)
    yield ok("secret", f"present, random enough; fingerprints: {held}")


def check_key_service() -> Iterator[Finding]:
    """Check that the service of the other shares answers this machine, and how long its certificate holds."""
    check = "key service"
    try:
        service = settings().share_service
    except SettingsError as refusal:
        yield error(check, f"wrongly set: {why(refusal)}", "See docs/keys.md, “Third party”.")
        return
    if service is None:
        yield not_applicable(check, "this deployment holds the whole secret itself")
        return
    try:
        held = settings().held.keys
        left = (service.server_expiry() - datetime.now(UTC)).days
        for key in held:
            service.fetch_share(key.version)
    except SettingsError as refusal:
        yield error(check, f"{service.name}: {why(refusal)}", "See docs/keys.md, “Third party”: refusals and remedies.")
        return
    message = f"{service.name} gives {len(held)} share(s); its certificate holds for {left} more days"
    if left < _CERTIFICATE_DAYS:
        yield attention(check, message, "Ask the third party to renew it.")
    else:
        yield ok(check, message)


def check_trainings() -> Iterator[Finding]:
    """Check that no training that ended without success keeps the original texts that it collected."""
    check = "trainings"
    root = settings().exchange_folder
    if root is None:
        yield not_applicable(check, "NOCTURNE_EXCHANGE_FOLDER is not set")
        return
    since = (datetime.now(UTC) - timedelta(days=_TRAINING_DAYS)).timestamp()
    kept = root / "trainings"
    try:
        folders = sorted(one for one in kept.iterdir() if one.is_dir()) if kept.is_dir() else []
        left = [one.name for one in folders if all(path.stat().st_mtime < since for path in (one, *one.rglob("*")))]
    except OSError as refusal:
        yield not_applicable(check, f"the exchange folder cannot be read here: {refusal.strerror}")
        return
    if left:
        message = f"original texts of trainings at rest for {_TRAINING_DAYS} days: {', '.join(left)}"
        yield attention(check, message, "Run their failed step again, or delete their folders in the exchange folder.")
    else:
        yield ok(check, f"{len(folders)} folders of trainings, none at rest for {_TRAINING_DAYS} days")


def check_disks() -> Iterator[Finding]:
    """Check that the folders of the deployment can be written and have room."""
    chosen = settings()
    for name, folder in (("NOCTURNE_HOME", chosen.home), ("lookup", chosen.lookups)):
        yield _check_folder(name, folder)


def _check_folder(name: str, folder: Path) -> Finding:
    check = f"disk {name}"
    there = folder.absolute()
    while not there.exists():
        there = there.parent
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return error(check, f"{folder}: cannot be written", "Give this folder to the account that runs Nocturne.")
    least, enough = _FREE[name]
    free = shutil.disk_usage(there).free
    message = f"{folder}: {free / _GB:.1f} GB free"
    if free < enough:
        say = error if free < least else attention
        return say(check, message, f"Free some room: {enough / _GB:g} GB at least.")
    return ok(check, message)

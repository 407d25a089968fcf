"""Checks of this machine: settings, policy, models, secret, disks."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from deid.config.policy import load
from deid.config.settings import Settings, settings
from deid.detection import Detector
from deid.detection.registry import learned_names
from deid.doctor.finding import Finding, attention, error, not_applicable, ok, why
from deid.domain.errors import PolicyError, SettingsError, WarehouseError
from deid.models.directories import asked_kinds, stamps, with_models
from deid.refresh.configuration import configured_features
from deid.warehouse.file_shares import silent_roots
from deid.warehouse.models import serving_models
from deid.warehouse.provision import ROLES
from deid.warehouse.sources import Source

# Variables that others than `deid.config.settings` read: containers, Airflow's plugins, the demonstration, the tests.
_OTHERS = frozenset(
    """
    ADMIN_EMAIL ADMIN_USER AIRFLOW_DSN AIRFLOW_PORT ALERT_CONNECTION DEVICE IMAGE GPU_IMAGE PORT POSTGRES_DB
    POSTGRES_HOST POSTGRES_USER REDIS_HOST ROOT SECRET_CONNECTION TEST_DSN
    """.split()
)
_GB = 10**9
_LEARNED = tuple(f"{kind}{sign}" for kind in learned_names() for sign in "-@")  # as versions name models
_CERTIFICATE_DAYS = 30
# Free bytes under which a folder is an error, and under which it wants attention.
_FREE = {"NOCTURNE_HOME": (1 * _GB, 5 * _GB), "lookup": (_GB // 5, 1 * _GB)}


def check_settings() -> Iterator[Finding]:
    """Check that variables are known and of the right kind, and that a database is named."""
    try:
        chosen = settings()
    except SettingsError as refusal:
        yield error("réglages", f"une variable est illisible : {why(refusal)}", "Voir docs/operators.md, « Settings ».")
        return
    names = {f"NOCTURNE_{name.upper()}" for name in Settings.model_fields} | {f"NOCTURNE_{name}" for name in _OTHERS}
    unknown = sorted(name for name in os.environ if name.startswith("NOCTURNE_") and name not in names)
    if unknown:
        yield attention("réglages", f"inconnu, donc ignoré : {', '.join(unknown)}", "Corriger le nom, ou l'enlever.")
    given = [role for role in ROLES if getattr(chosen, f"{role}_dsn") is not None]
    if given:
        yield ok("réglages", f"lus ; bases nommées pour {', '.join(given)}")
    else:
        remedy = "Donner les NOCTURNE_…_DSN (docs/operators.md), ou lancer `make demo` pour un essai."
        yield attention("réglages", "aucune base n'est nommée : seules les commandes sur fichiers marchent", remedy)


def check_policy() -> Iterator[Finding]:
    """Check that the policy and the configuration of references can be read."""
    try:
        policy = load(settings().policy)
        yield ok("politique", f"{policy.name}, {policy.digest[:8]}")
    except PolicyError as refusal:
        remedy = "Corriger le fichier : python -m deid policy validate FICHIER."
        yield error("politique", f"refusée : {why(refusal)}", remedy)
    try:
        configured_features()
    except SettingsError as refusal:
        yield error("référentiels", f"NOCTURNE_REFERENCES refusé : {why(refusal)}", "Corriger ce fichier.")
    try:
        Source(settings().source).rules()
    except SettingsError as refusal:
        yield error("source", f"NOCTURNE_SOURCE refusé : {why(refusal)}", "Nommer un dossier de sql/sources.")
    except PolicyError as refusal:
        yield error("source", f"formats.yaml refusé : {why(refusal)}", "Corriger ce fichier (docs/formats.md).")
    yield from _check_roots()


def _check_roots() -> Iterator[Finding]:
    """Check that the folders of the source's files answer."""
    try:
        silent = silent_roots()
    except SettingsError as refusal:
        yield error("dossiers de fichiers", why(refusal), "Installer le pilote sur chaque machine (docs/operators.md).")
        return
    if silent:
        remedy = "Monter le partage ou démarrer le service, ou corriger NOCTURNE_FILE_ROOTS."
        yield error("dossiers de fichiers", f"sans réponse : {', '.join(silent)}", remedy)
    elif settings().roots:
        yield ok("dossiers de fichiers", f"{len(settings().roots)} répondent")


def check_models() -> Iterator[Finding]:
    """Check that every model of the policy is the one that training wrote, by its digest."""
    try:
        policy = load(settings().policy)
    except PolicyError:
        yield not_applicable("modèles", "la politique ne se lit pas")
        return
    try:
        models = serving_models(policy)
    except (SettingsError, WarehouseError) as refusal:
        remedy = "Donner NOCTURNE_WORKER_DSN, ou nommer un dossier dans la politique (docs/training.md)."
        yield attention("modèles", f"la politique demande le registre, qui ne se lit pas ici : {why(refusal)}", remedy)
        return
    try:
        version = "+".join((Detector(with_models(policy, models)).version, *stamps(policy, models)))
    except PolicyError as refusal:
        remedy = "Rétablir le dossier du modèle, ou réinstaller Nocturne s'il s'agit d'un modèle livré."
        yield error("modèles", f"refusé : {why(refusal)}", remedy)
        return
    learned = [name for name in version.split("+") if name.startswith(_LEARNED)]
    if shipped := [kind for kind in asked_kinds(policy) if kind not in models]:
        remedy = "Mettre en service : python -m deid models promote EMPREINTE ; ou ne plus demander le registre."
        yield attention(
            "modèles", f"sans modèle en service au registre, le modèle livré : {', '.join(shipped)}", remedy
        )
    if learned:
        yield ok("modèles", f"empreintes vérifiées : {', '.join(learned)}")
    else:
        yield not_applicable("modèles", "cette politique n'en emploie pas")


def check_secret() -> Iterator[Finding]:
    """Check that the secret is there, readable and random; not that the ledger knows it."""
    chosen = settings()
    if chosen.secret is None and chosen.secret_file is None:
        if os.environ.get("NOCTURNE_SECRET_CONNECTION"):
            yield not_applicable("secret", "tenu par une connexion d'Airflow, que ses tâches lisent")
        elif chosen.worker_dsn is None:
            yield not_applicable("secret", "cette machine ne tire aucun substitut (ni secret, ni NOCTURNE_WORKER_DSN)")
        else:
            remedy = "Le créer : python -m deid key new FICHIER, puis NOCTURNE_SECRET_FILE (docs/keys.md)."
            yield error("secret", "absent, alors que cette machine traite des documents", remedy)
        return
    try:
        ring = chosen.keyring
    except SettingsError as refusal:
        yield error(
            "secret",
            f"refusé : {why(refusal)}",
            "Corriger cette entrée, ou créer un secret : python -m deid key new (docs/keys.md).",
        )
        return
    held = ", ".join(f"version {key.version} ({key.fingerprint})" for key in ring.keys)
    yield ok("secret", f"présent, assez aléatoire ; empreintes : {held}")


def check_key_service() -> Iterator[Finding]:
    """Check that the service of the other shares answers this machine, and how long its certificate holds."""
    check = "service de clés"
    try:
        service = settings().share_service
    except SettingsError as refusal:
        yield error(check, f"mal réglé : {why(refusal)}", "Voir docs/keys.md, « Third party ».")
        return
    if service is None:
        yield not_applicable(check, "cette installation tient elle-même le secret entier")
        return
    try:
        held = settings().held.keys
        left = (service.server_expiry() - datetime.now(UTC)).days
        for key in held:
            service.fetch_share(key.version)
    except SettingsError as refusal:
        yield error(check, f"{service.name} : {why(refusal)}", "Voir docs/keys.md, « Third party » : refus et remèdes.")
        return
    message = f"{service.name} donne {len(held)} part(s) ; son certificat vaut encore {left} jours"
    if left < _CERTIFICATE_DAYS:
        yield attention(check, message, "Demander au tiers de le renouveler.")
    else:
        yield ok(check, message)


def check_disks() -> Iterator[Finding]:
    """Check that the folders of the deployment can be written and have room."""
    chosen = settings()
    for name, folder in (("NOCTURNE_HOME", chosen.home), ("lookup", chosen.lookups)):
        yield _check_folder(name, folder)


def _check_folder(name: str, folder: Path) -> Finding:
    check = f"disque {name}"
    there = folder.absolute()
    while not there.exists():
        there = there.parent
    if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
        return error(check, f"{folder} : ne peut pas être écrit", "Donner ce dossier au compte qui lance Nocturne.")
    least, enough = _FREE[name]
    free = shutil.disk_usage(there).free
    message = f"{folder} : {free / _GB:.1f} Go libres"
    if free < enough:
        say = error if free < least else attention
        return say(check, message, f"Libérer de la place : {enough / _GB:g} Go au moins.")
    return ok(check, message)

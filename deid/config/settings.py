"""Settings of a deployment, from the environment (`NOCTURNE_…`) or a `.env` file; never from the code."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from deid.config import keys
from deid.domain.errors import SettingsError
from deid.domain.limits import Limits

if TYPE_CHECKING:
    from deid.config.key_service import KeyService


class Settings(BaseSettings):
    """Settings of a deployment, each with its meaning below it, which `make docs` copies into docs/operators.md.

    Each `…_location` is where a source of reference data is read, before the file of `references`.
    """

    model_config = SettingsConfigDict(env_prefix="NOCTURNE_", env_file=("var/nocturne.env", ".env"), extra="ignore")

    communes_location: SecretStr | None = None
    streets_location: SecretStr | None = None
    establishments_location: SecretStr | None = None
    professionals_location: SecretStr | None = None
    former_communes_location: SecretStr | None = None
    postal_codes_location: SecretStr | None = None
    localities_location: SecretStr | None = None
    first_names_location: SecretStr | None = None
    surnames_location: SecretStr | None = None
    density_levels_location: SecretStr | None = None
    pathologies_location: SecretStr | None = None
    care_access_location: SecretStr | None = None
    mortality_location: SecretStr | None = None
    deaths_location: SecretStr | None = None
    air_quality_location: SecretStr | None = None
    radon_location: SecretStr | None = None
    incomes_location: SecretStr | None = None
    indicators_location: SecretStr | None = None
    home: Path = Path("var")
    """where this machine writes: reports, embedded PostgreSQL, and what has no folder of its own below"""
    lookup_folder: Path | None = None
    """lookups and tables that workers map, up to 50 MB each, shared among machines or each its own; else
    `NOCTURNE_HOME/lookup`"""
    source: str = "ehop"
    """name of the source contract: `ehop`, `omop`, `export_folder`, or a folder of `NOCTURNE_SOURCES`"""
    sources: Path | None = None
    """folder of your own source contracts, outside of the code: one folder for each"""
    policy: Path | None = None
    """path of the policy (YAML); else the one that ships"""
    models: Path | None = None
    """registry of the hospital's own models ([training](training.md#registry)), else `NOCTURNE_HOME/models`: the same
    folder for every worker and the API server, which reads there too how trainings and rounds of annotation advance; a
    model may hold what its documents said, so keep it and its backups as health data"""
    owner_dsn: SecretStr | None = None
    """the role `nocturne_owner`, for `migrate` only"""
    reader_dsn: SecretStr | None = None
    """the role that reads the warehouse, which may be [another database](#warehouses-outside-postgresql), by a URL"""
    worker_dsn: SecretStr | None = None
    """the role `nocturne_worker`"""
    refresher_dsn: SecretStr | None = None
    """the role `nocturne_refresher`"""
    publisher_dsn: SecretStr | None = None
    """the role `nocturne_publisher`"""
    steward_dsn: SecretStr | None = None
    """the role `nocturne_steward`"""
    identity_dsn: SecretStr | None = None
    """the role `nocturne_reader` in Nocturne's own database, where the warehouse is another (always, outside
    PostgreSQL): for originals on the pages, `ids` and `annotations export`; else that of `NOCTURNE_READER_DSN`"""
    identity_database: SecretStr | None = None
    """address, without role, of the database that holds the schema `identity` where it is not Nocturne's own
    ([below](#the-hospitals-ids-in-another-database)): every component that has the DSN of owner, worker, publisher,
    steward or identity"""
    tuning_dsn: SecretStr | None = None
    """studies of the tuning, in a schema `tuning` of their own ([training](training.md))"""
    researcher_dsn: SecretStr | None = None
    """the role `researcher`, for the demo and the notebook of researchers"""
    postgres_port: int | None = Field(None, ge=1024, le=65535)
    """TCP port of the embedded PostgreSQL; else a free one"""
    references: Path | None = None
    """YAML file: where open data is read, and its bounds ([below](#reference-data-on-a-closed-network))"""
    catalogue: Path | None = None
    """YAML file: what the hospital says of its published data ([Catalogue](#catalogue))"""
    guides: str | None = Field(None, pattern=r"^https?://\S+$")
    """address of the documentation site (`make site`, served by any web server of the hospital): the stewards' pages
    then have a link to the guide of what they show; on the API server"""
    secret: SecretStr | None = None
    """at least 32 random bytes in hexadecimal (`python -m deid key new`), or several with their versions: every
    surrogate and pseudonym depends on it ([keys](keys.md))"""
    secret_file: Path | None = None
    """a file with the same, in its stead"""
    partition_secret_file: Path | None = None
    """a file with the secret that divides patients between projects, the same for all of them; asked for where the
    policy takes a part ([keys](keys.md#two-projects))"""
    key_version: int | None = Field(None, ge=1)
    """number of a secret that is written without its version, else 1"""
    key_service: str | None = None
    """https address of a third party's key service: what stands above are then the hospital's shares
    ([keys](keys.md#third-party))"""
    key_service_certificate: Path | None = None
    """PEM file: this machine's certificate for it, with its private key"""
    key_service_authority: Path | None = None
    """PEM file: the authority that signed the service's certificate"""
    file_roots: str = ""
    """folders that a source may name files in, separated by commas ([files](#files-of-a-source))"""
    file_timeout_s: float = Field(60.0, gt=0)
    """seconds for reading one such file"""
    max_document_bytes: int = Field(2_000_000, ge=1)
    """a larger document goes to quarantine"""
    max_document_seconds: float = Field(300.0, gt=0)
    """time that a step may take on one document ([limits](#limits-of-a-document))"""
    max_document_memory_mb: int = Field(2048, ge=64)
    """memory (MiB) that a step on one document may add to that of its process"""
    isolate: bool = False
    """processes each batch in a process of its own from the first attempt"""
    data_docs: bool = True
    """writes the pages of Great Expectations beside the reports ([below](#great-expectations))"""
    statement_timeout_s: int = Field(600, ge=1)
    """a statement of SQL that takes longer is stopped"""
    abandoned_after_s: int = Field(7200, ge=60)
    """a run silent for that long loses its unfinished documents to a later one; longer than your longest batch"""
    exchange_folder: Path | None = None
    """original documents for annotators and what they return ([rounds](annotation.md#rounds)): mode 700, the same on
    the workers of the queues `cpu` and `gpu`"""
    second_opinion_url: str | None = None
    """base address of a language model inside the hospital that [reads published texts
    again](utility.md#second-opinion); none reads without it"""
    second_opinion_model: str = ""
    """the name of that model"""
    second_opinion_key: SecretStr | None = None
    """its token"""
    task_time_factor: float = Field(1.0, gt=0)
    """multiplies the time limit of each of Airflow's tasks"""

    def dsn(self, role: str) -> str:
        """Return the connection string of `role`, a key of `deid.schema.provision.ROLES`, or of "identity".

        "identity" is the role nocturne_reader in the product's database. It defaults to the reader's own, for a
        warehouse that lies in that database.

        Raises:
            SettingsError: the setting is absent.
        """
        value: SecretStr | None = getattr(self, f"{role}_dsn")
        if role == "identity" and value is None and (reader := self.reader_dsn) is not None:
            # A warehouse that is not PostgreSQL cannot hold the product's schemas.
            scheme, other, _ = reader.get_secret_value().partition("://")
            value = reader if not other or scheme in ("postgresql", "postgres") else None
        if value is None:
            name = f"NOCTURNE_{role.upper()}_DSN"
            raise SettingsError(f"{name} is not set.", "Set it to a PostgreSQL URI, or run `make demo` first.")
        return value.get_secret_value()

    def require(self, *names: str) -> None:
        """Refuse settings of which one of `names` is absent; `secret` is one of both that give it.

        Raises:
            SettingsError: names all that are absent; or the secret cannot be read, or is too weak.
        """
        given = self.model_dump(exclude_none=True)
        absent = [name for name in names if name not in given and not (name == "secret" and "secret_file" in given)]
        if absent:
            listed = ", ".join(f"NOCTURNE_{name.upper()}" for name in absent)
            remedy = "Set what is absent in each component that runs this task, then `python -m deid doctor` there."
            raise SettingsError(f"not set: {listed}.", remedy)
        if "secret" in names:
            self.held  # noqa: B018 - reads it

    def location(self, source: str) -> str | None:
        """Return the location of the reference source `source`; None for the file that ships."""
        value: SecretStr | None = getattr(self, f"{source}_location")
        return None if value is None else value.get_secret_value()

    @property
    def keyring(self) -> keys.Keyring:
        """The versions of the secret; those of a key service are fetched once per process, and kept in memory only.

        Raises:
            SettingsError: no secret is set, it cannot be read, or one is too weak; the key service refuses a share.
            KeyServiceUnreachable: it does not answer.
        """
        service = self.share_service
        if service is None:
            return self.held
        return keys.Keyring(tuple(keys.combine(key, service.fetch_share(key.version)) for key in self.held.keys))

    @property
    def share_service(self) -> KeyService | None:
        """The service of the other shares; None where the hospital holds whole secrets.

        Raises:
            SettingsError: it is named without its certificate or authority, or not by an https URL.
        """
        if self.key_service is None:
            return None
        if self.key_service_certificate is None or self.key_service_authority is None:
            raise SettingsError(
                "NOCTURNE_KEY_SERVICE is set without its certificate or authority.",
                "Set NOCTURNE_KEY_SERVICE_CERTIFICATE and NOCTURNE_KEY_SERVICE_AUTHORITY (docs/keys.md).",
            )
        from deid.config.key_service import KeyService  # TLS, which no other process needs

        return KeyService(self.key_service, self.key_service_certificate, self.key_service_authority)

    @property
    def held(self) -> keys.Keyring:
        """Versions that this deployment itself holds: secrets or, with a key service, the hospital's shares.

        Raises:
            SettingsError: nothing is set, it cannot be read, or one is too weak.
        """
        if self.secret is not None and self.secret_file is not None:
            raise SettingsError("both NOCTURNE_SECRET and NOCTURNE_SECRET_FILE are set.", "Keep one of them.")
        if self.secret_file is not None:
            text, where = _read_secret_file(self.secret_file, "NOCTURNE_SECRET_FILE"), str(self.secret_file)
        elif self.secret is not None:
            text, where = self.secret.get_secret_value(), "NOCTURNE_SECRET"
        else:
            remedy = "Make one with `python -m deid key new`, and keep it out of any repository."
            raise SettingsError("NOCTURNE_SECRET is not set: no surrogate can be drawn.", remedy)
        return keys.parse_keyring(text, where=where, lone_version=self.key_version)

    @property
    def partition_secret(self) -> bytes:
        """The secret by which patients are parted between projects.

        Raises:
            SettingsError: none is set, it cannot be read, or it is too weak.
        """
        if self.partition_secret_file is None:
            raise SettingsError(
                "the policy takes a part of the patients, and NOCTURNE_PARTITION_SECRET_FILE is not set.",
                "Give every project the same file, made once by `python -m deid key new FILE` (docs/keys.md).",
            )
        text = _read_secret_file(self.partition_secret_file, "NOCTURNE_PARTITION_SECRET_FILE")
        return keys.parse_keyring(text, where=str(self.partition_secret_file)).current.secret

    def limits(self, *, isolated: bool = False) -> Limits:
        """Return the limits of a document; `isolated` as by the setting `isolate`, for one batch."""
        return Limits(
            seconds=self.max_document_seconds,
            megabytes=self.max_document_memory_mb,
            characters=self.max_document_bytes,
            isolated=self.isolate or isolated,
        )

    @property
    def roots(self) -> tuple[str, ...]:
        """Folders that a source may name files in, without a slash at their end."""
        return tuple(root.strip().rstrip("/") for root in self.file_roots.split(",") if root.strip(" /"))

    @property
    def registry(self) -> Path:
        """Folder of the trained models (`deid.models.directories`)."""
        return self.models or self.home / "models"

    @property
    def lookups(self) -> Path:
        """Folder of the lookup files (`deid.detection.lookup`)."""
        return self.lookup_folder or self.home / "lookup"

    @property
    def key(self) -> bytes:
        """The secret in force, as bytes.

        Raises:
            SettingsError: see `keyring`.
        """
        return self.keyring.current.secret


# Sources of reference data that a deployment may refresh, described in `deid.refresh.sources`.
REFERENCE_SOURCES = tuple(
    name.removesuffix("_location") for name in Settings.model_fields if name.endswith("_location")
)


def _read_secret_file(path: Path, setting: str) -> str:
    try:
        return path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror if isinstance(error, OSError) else "not a file of secrets"
        raise SettingsError(f"{setting}, {path}: {why}.", "Give a readable file.") from None


@cache
def settings() -> Settings:
    """Return the settings of this process, read once.

    Raises:
        SettingsError: a variable has a value of the wrong kind; the message names the variable only.
    """
    try:
        return Settings()
    except ValidationError as error:
        names = ", ".join(f"NOCTURNE_{str(item['loc'][0]).upper()}" for item in error.errors())
        raise SettingsError(f"{names}: wrong kind of value.", "See docs/operators.md, “Settings”.") from None

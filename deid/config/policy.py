"""Policy of a hospital: annotators, strategies, ε and thresholds, read from YAML and validated."""

from __future__ import annotations

import hashlib
import json
from contextlib import suppress
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Annotated, Any, Literal, Self, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError, field_validator, model_validator

from deid.config import generators
from deid.config.own_types import OwnType, check_names, with_digests
from deid.config.settings import REFERENCE_SOURCES
from deid.domain import PARIS
from deid.domain.errors import PolicyError
from deid.domain.labels import Label

DEFAULT = Path(__file__).parent / "policies" / "default.yaml"

Share = Annotated[float, Field(ge=0, le=1)]
Nats = Annotated[float, Field(ge=-10, le=10)]
Weight = Annotated[float, Field(ge=0, le=100)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Days = Annotated[int, Field(ge=1, le=36_500)]
ClassName = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
HISTORY_UNITS = frozenset({"week", "month", "quarter", "season", "semester", "year", "decade"})
Category = Literal["time", "place"]  # the parts of a weighted split of ε
CATEGORIES: tuple[str, ...] = get_args(Category)
# Keys of earlier versions that decide nothing any more: policies of the ledger are read without them. One that is
# renamed decides still, and never stands here: read as its default, it could be less strict.
_GONE = frozenset({("detection", "repeat_across_documents")})
Hiding = Literal["marked", "natural"]  # whether contacts can be told from true ones
Visible = Literal["nightly", "weekly", "monthly"]
PERIODS: tuple[Visible, ...] = get_args(Visible)  # of visibility


class Section(BaseModel):
    """A part of the policy. An unknown key is an error: a misspelt safeguard protects nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class AnnotatorChoice(Section):
    """One annotator to run: a registered name or a dotted path `package.module:Class`, and its options."""

    name: str
    options: dict[str, Any] = {}


class Detection(Section):
    """Settings of detection.

    `annotators` run in this order. `connectors` may stand between two parts of one name or place.
    `merge`: `average` (the taggers' probabilities are averaged, then one best path; rules and identity join in
    where they are nearly always right: `deid.detection.merging.votes`), `weights` (Braghin et al. 2019: highest
    annotator × label weight wins) or `procedure` (Tchouka et al. 2022, section 3.3). `weights` overrides cells of
    the table in `deid.detection.merging.votes`: annotator → label → weight in [0, 100], 0 disables. `recall` raises,
    per label and in nats, the taggers' probability against that of "outside" before the best path is sought.
    `threshold` is the least score of a merged mention. `allow` adds terms per label that are never mentions.
    `repeat_names`: a name found once is looked for in the whole document. `settle_roles`: the role of a name (patient,
    professional, other) is decided per document and person. `foreign`: a document that is surely not in French goes to
    quarantine, or is searched by `patterns` and `identity` alone; the validator still holds back those that it
    recognises.
    """

    annotators: tuple[AnnotatorChoice, ...] = Field(min_length=1)
    merge: Literal["average", "weights", "procedure"] = "average"
    weights: dict[str, dict[Label, Weight]] = {}
    recall: dict[Label, Nats] = {}
    threshold: Share = 0.5
    connectors: tuple[str, ...] = ("de", "du", "des", "d'", "de la", "de l'", "-")
    allow: dict[Label, tuple[str, ...]] = {}
    repeat_names: bool = True
    settle_roles: bool = True
    foreign: Literal["quarantine", "patterns"] = "quarantine"


_NO_NOISE = {
    "uniform_shift": "its texts give the shift away",
    "generalise": "it says the month only",
    "episodes": "it has noise for each stay",
}


class Dates(Section):
    """Strategy for dates.

    `metric`: noise on each date in its own unit (Tchouka et al. 2023); `bounded_laplace`: noise on the intervals
    between dates (Tchouka et al. 2022); `uniform_shift`: all dates of a patient move by one number of days, uniform in
    ±[`shift_min_days`, `shift_max_days`] (i2b2, MIMIC); `generalise`: a day becomes its `granularity`, a coarser date
    the next coarser unit; `episodes`: the dates of a stay move together (`deid.substitution.temporal.episodes`);
    `tag`: the label instead. Guarantee of each: docs/privacy.md.

    `anchor_scale_days` is the scale of the discrete Laplace shift of a patient's reference dates, hence ε = 1 /
    `anchor_scale_days` per day. `document_date`: under `shift` the document's own date moves by that alone, so that
    intervals between a patient's documents stay; under `metric` it has noise of its own as well, ε per day, and they do
    not. A duration in the text and the two dates it is about may disagree by `duration_tolerance_days`, or by
    `duration_tolerance_share` of it if that is more.

    For `episodes`: what `moves` as a whole, a stay, or each day by itself, which hides what is known of a stay and
    keeps no distance between its dates; `episode_epsilon` in nats per day of an episode's first day; its window reaches
    from `days_before` a stay to `days_after` it, and other dates told no further apart are an episode too; distances of
    up to `kept_days` stay as they are; `history_epsilon` in nats per unit, for months and years by themselves and ages
    at another time.
    """

    strategy: Literal["metric", "bounded_laplace", "uniform_shift", "generalise", "episodes", "tag"] = "episodes"
    anchor_scale_days: float = Field(180.0, ge=1, le=3_650)
    document_date: Literal["shift", "metric"] = "shift"
    shift_min_days: int = Field(1, ge=1)
    shift_max_days: int = Field(365, ge=1, le=36_500)
    granularity: Literal["month", "year"] = "month"
    duration_tolerance_days: int = Field(1, ge=0)
    duration_tolerance_share: Share = 0.1
    moves: Literal["stay", "day"] = "stay"
    episode_epsilon: Positive = 0.005
    days_before: Days = 183
    days_after: Days = 183
    kept_days: int = Field(366, ge=0, le=3_660)
    history_epsilon: dict[str, Positive] = {
        **dict.fromkeys(("week", "month", "quarter", "season", "semester"), 0.5), "year": 1.0, "decade": 1.0,
    }  # fmt: skip

    @field_validator("history_epsilon")
    @classmethod
    def _every_unit_has_noise(cls, given: dict[str, float]) -> dict[str, float]:
        if set(given) != HISTORY_UNITS:
            raise ValueError(f"history_epsilon needs exactly {', '.join(sorted(HISTORY_UNITS))}")
        return given

    @model_validator(mode="after")
    def _shift_is_a_range(self) -> Self:
        if self.shift_min_days > self.shift_max_days:
            raise ValueError("shift_min_days is above shift_max_days")
        return self

    @model_validator(mode="after")
    def _noise_has_something_to_hide(self) -> Self:
        if self.document_date == "metric" and self.strategy in ("uniform_shift", "generalise", "episodes"):
            raise ValueError(f"document_date: metric is not for strategy {self.strategy}: " + _NO_NOISE[self.strategy])
        return self


class Ages(Section):
    """Strategy for ages; ages of `top_code` years or more are written as that many "and more" (HIPAA: 90).

    `metric` and `bounded_laplace` as for dates; `generalise`: bands of `band_years` ("70-74 ans"); `stages`: within the
    stage of life (`deid.substitution.temporal.stages`); `tag`: the label.
    The patient's own age follows the moved birth date where dates have one. `paediatric_unit`: the unit of `metric`
    for ages under 18; years move a child as far as an adult, quarters and months move less and hide less.
    """

    strategy: Literal["metric", "bounded_laplace", "generalise", "stages", "tag"] = "stages"
    top_code: int = Field(90, ge=18)
    band_years: Literal[5, 10] = 5
    paediatric_unit: Literal["year", "quarter", "month"] = "year"


class Times(Section):
    """Strategy for times of day ("à 14h35"), which are looked for unless it is `keep`.

    `hour`: minutes and seconds are left out ("à 14h"); `part_of_day`: night until 6 o'clock, morning until noon,
    afternoon until 18, or evening ("l'après-midi"); `drop`: the label instead. Durations ("pendant 2 h") and schedules
    of drugs and of services stay. Nothing is drawn, no ε is spent, and no two times of one day change their order.
    """

    strategy: Literal["keep", "hour", "part_of_day", "drop"] = "keep"


class Places(Section):
    """Strategy for communes; `features` are columns of the commune table, the profile that the draw weighs.

    `health_exponential`: the exponential mechanism over a territory, a fixed public set; at the shipped ε it keeps a
    profile no better than a uniform draw (docs/privacy.md). `knn_exponential` (Tchouka et al. 2023): over the
    `neighbours` communes of the nearest profile within `radius_km`, a weaker guarantee. `geo_indistinguishability`
    (Tchouka et al. 2022): a noisy point, then the commune nearest to it; ε is counted per `unit_km` kilometres, so the
    mean move is 2 · unit_km / ε. `tag` writes the label instead.
    """

    strategy: Literal["health_exponential", "knn_exponential", "geo_indistinguishability", "tag"] = "health_exponential"
    features: tuple[str, ...] = Field(("apl_gen", "median_income", "radon"), min_length=1)
    neighbours: int = Field(10, ge=2)
    radius_km: float = Field(100.0, gt=0, le=2_000)
    unit_km: float = Field(1.0, gt=0, le=1_000)


class GeneratorChoice(Section):
    """The generator of a label's surrogates and its options.

    Named as in `deid.config.generators`, or by a dotted path `package.module:Class`.

    A dotted path is called with the `DocumentContext` and the options, and is a `deid.substitution.drafts.Generator`.
    """

    provider: str = generators.DEFAULT
    options: dict[str, Any] = {}

    @field_validator("provider", mode="before")
    @classmethod
    def _null_is_a_name(cls, value: Any) -> Any:
        return generators.NULL if value is None else value  # YAML reads the word as no value


class SubstitutionPolicy(Section):
    """Settings of substitution.

    `epsilon_per_document`, in nats, is split over a document's distinct elements: `nominal` gives each the share of
    a document of `elements_per_document`, so that a patient's values are drawn alike in all documents; `uniform`
    divides by the document's own number (Tchouka et al. 2023); `weighted` parts it first between `time` (dates and
    ages) and `place` by `weights` (Tchouka et al. 2022: 3 and 1), then uniformly. A document that spends more than
    `max_epsilon_per_document` is refused; null sets no limit.

    `max_epsilon_per_patient` bounds what a patient's published documents spend together, by the ledger: documents past
    it are refused in the order of their dates. It needs the ledger's database.

    `rotation`: effect of a new version of the secret on a document published under an older one. `redo` processes the
    document again when its interval is planned again, `keep` when its content changes (docs/keys.md).

    `professionals`: one surrogate of a professional per scope, or one for all patients (`corpus`). The latter shows
    research the patients of a professional, and lets counting identify the busiest ones
    (docs/decisions/2026-11-22-names-across-documents.md).

    `hiding`: surrogates of contacts are `marked` by ranges and domains that nobody has, so that a contact without the
    mark is a leak, which a check holds back; or `natural`, so that a true one that was missed does not stand out
    (docs/privacy.md, "Hiding in plain sight"). `repeated_names`: `consistent` gives a name one surrogate; `changing`
    keeps it at each further mention in a document with probability `keep_name`, and else draws another.

    `labels` chooses a label's generator instead of the library's own (docs/privacy.md); its surrogates are constant
    over the same scope and cost no ε.
    """

    scope: Literal["patient", "document", "corpus"] = "patient"
    epsilon_per_document: Positive = 4.0
    split: Literal["nominal", "uniform", "weighted"] = "nominal"
    weights: dict[Category, Positive] = {}
    elements_per_document: int = Field(16, ge=1)
    max_epsilon_per_document: Positive | None = None
    max_epsilon_per_patient: Positive | None = None
    rotation: Literal["redo", "keep"] = "redo"
    professionals: Literal["scope", "corpus"] = "scope"
    hiding: Hiding = "marked"
    repeated_names: Literal["consistent", "changing"] = "consistent"
    keep_name: Share = 0.5
    dates: Dates = Dates()
    ages: Ages = Ages()
    places: Places = Places()
    times: Times = Times()
    labels: dict[Label, GeneratorChoice] = {}

    @property
    def seeks_times(self) -> bool:
        """True if times of day are looked for: a strategy or a generator of their own replaces them."""
        return self.times.strategy != "keep" or Label.TIME in self.labels

    @model_validator(mode="after")
    def _generators_fit_their_labels(self) -> SubstitutionPolicy:
        for label, choice in self.labels.items():
            generators.check_choice(label, choice.provider, choice.options)
        return self

    @model_validator(mode="after")
    def _weights_fit_the_split(self) -> SubstitutionPolicy:
        if self.split == "weighted" and (missing := set(CATEGORIES) - set(self.weights)):
            raise ValueError(f"split: weighted needs a weight for {' and '.join(sorted(missing))}")
        if self.split != "weighted" and self.weights:
            raise ValueError(f"weights are read by split: weighted only, not by {self.split}")
        return self


class Quality(Section):
    """Limits of the run-level checks; of row-level checks those of clinical content alone have settings.

    Each `warn_…` asks for a look, each `max_…` stops the interval. Shares are of a run's documents (of its
    surrogates for `unparsed`); in runs of fewer than `least_documents` they say too little to stop anything.
    Density is mentions per 1,000 characters of a document type, compared with the pooled density of the
    `baseline_runs` runs before: `density_floor` is the least ratio that lets an interval out, `density_drift`
    the relative change that warns. `warn_epsilon_factor` is how many times `epsilon_per_document` one document
    may spend before a warning. `unknown_identity`: a document of whose patient the warehouse gives no identity at all
    is refused, or published with a warning. Clinical values, doses, scores, results and drugs that changed
    (`deid.quality.clinical`): a document warns from `warn_clinical_changes` of them on, and is held back above
    `max_clinical_changes`; a share above `warn_clinical_changed_share` of the interval's asks a person.
    `patient_disagreement`: a document whose text disagrees with the patient's other published documents on first name,
    surname, sex, birth date or town is counted and shown, or held back as well.
    """

    max_quarantined_share: Share = 0.2
    warn_quarantined_share: Share = 0.1
    max_failed_share: Share = 0.05
    max_without_mentions_share: Share = 0.2
    warn_without_mentions_share: Share = 0.05
    max_unparsed_share: Share = 0.1
    warn_unparsed_share: Share = 0.02
    max_foreign_share: Share = 0.2
    warn_foreign_share: Share = 0.05
    warn_warned_share: Share = 0.25
    warn_epsilon_factor: float = Field(5.0, gt=0)
    density_floor: Share = 0.5
    density_drift: Share = 0.3
    baseline_runs: int = Field(14, ge=1)
    least_documents: int = Field(20, ge=1)
    unknown_identity: Literal["refuse", "warn"] = "refuse"
    warn_clinical_changes: int = Field(1, ge=1)
    max_clinical_changes: int = Field(10, ge=0)
    warn_clinical_changed_share: Share = 0.01
    patient_disagreement: Literal["count", "hold"] = "count"


class References(Section):
    """Days after which a source of reference data counts as old, by source, instead of those of its configuration
    (docs/reference-data.md).

    An old source stays in use: the refresh says so in Airflow, and the release of an interval asks for a look.
    """

    max_age_days: dict[str, Days] = {}

    @field_validator("max_age_days")
    @classmethod
    def _sources_exist(cls, value: dict[str, int]) -> dict[str, int]:
        if unknown := sorted(set(value) - set(REFERENCE_SOURCES)):
            raise ValueError(f"there is no source {', '.join(unknown)}; known: {', '.join(REFERENCE_SOURCES)}")
        return value


class Review(Section):
    """Size and conduct of the review of an interval's sample before publication.

    The sample is the smallest that, with no leak found in it, excludes at `confidence` that more than a share `target`
    of the interval's documents leak. Each document is read by `readings` people. `automatic`: `summarise` opens the
    review; else a steward does. Texts are erased when the review is closed, or `keep_days` days after it was opened.
    `sentinels`: the share of sampled documents in which a surrogate is shown as if it had been missed, to measure what
    readers see; 0 for none. `fastest_reading`: characters per second above which a reading does not count (people read
    about 20: Trauzettel-Klosinski & Dietz 2012, Investigative Ophthalmology & Visual Science 53); 0 for no limit.
    """

    target: float = Field(0.01, gt=0, lt=1)
    confidence: float = Field(0.95, ge=0.5, lt=1)
    readings: Literal[1, 2] = 1
    automatic: bool = False
    keep_days: Days = 90
    sentinels: float = Field(0.1, ge=0, le=0.5)
    fastest_reading: float = Field(60, ge=0)


class Release(Section):
    """Conditions of a release.

    `approval`: a person decides `always`, `on_warning` (a run-level warning was raised) or `never`.
    `approvals`: how many different people must approve where one must. `own_approval`: whether the person who asked
    for a run may approve it alone, where that person is known. `second_review`: whether, where two people must approve,
    the second one sees the answer, the reason and the comments of the first before answering (`open`) or not (`blind`).
    `ready_by`: the local time ("07:00") by which a night must be staged; `decision_hours`: how long
    a staged interval may wait for a decision. Past either, the stewards' pages and an alert say that it is late.
    `review`: the sample that people read.
    `visible`: how often what is published becomes visible to researchers: at each release (`nightly`), or all together
    at the first release of a week or a month. Who reads the table at each rewriting learns that period of arrival.
    `training_export`: whether published texts may leave the hospital as training documents, with the spans of their
    surrogates, which tell where mentions were; the spans of what is published under such a policy are kept.
    `evaluate`: whether each release is evaluated on a sample, by attacks and by what it is worth (docs/utility.md).
    """

    approval: Literal["always", "on_warning", "never"] = "on_warning"
    approvals: Literal[1, 2] = 1
    own_approval: bool = False
    second_review: Literal["open", "blind"] = "open"
    ready_by: str = Field("07:00", pattern=r"^([01]\d|2[0-3]):[0-5]\d$")
    decision_hours: int = Field(24, ge=1)
    review: Review = Review()
    visible: Visible = "weekly"
    training_export: bool = False
    evaluate: bool = False


def period_around(visible: Visible, day: date) -> tuple[date, date]:
    """Return the first and the last day of the period of visibility that holds a day."""
    if visible == "nightly":
        return day, day
    if visible == "weekly":
        first = day - timedelta(days=day.weekday())
        return first, first + timedelta(days=6)
    first = day.replace(day=1)
    return first, (first + timedelta(days=31)).replace(day=1) - timedelta(days=1)


def next_rewriting(visible: Visible, last: datetime | None, now: datetime) -> date:
    """Return the first day on which a release makes readable what is published, in Paris; `last` was the last time."""
    today = now.astimezone(PARIS).date()
    if last is None or visible == "nightly":
        return today
    return max(period_around(visible, last.astimezone(PARIS).date())[1] + timedelta(days=1), today)


class Publication(Section):
    """Settings of what researchers get beside the text.

    `files`: of a document that came as a file, the file rewritten with surrogates in its own format; or none.
    `columns`: `sex`, as the warehouse has it; `age_class`, the stage of life, and `birth_year`, both from the surrogate
    birth date. `services`: the category published for a service code of the warehouse; a code without one has none.
    `spans`: where surrogates stand, which tells by its absence elsewhere which words were never replaced.
    Each helps an attacker: how much sex, age class and service do, where types are known, docs/privacy.md says.

    `types`: the type and LOINC code of a document, as in the `warehouse`; or instead one of the `classes`, found by the
    type, else by the LOINC code, and `other_class` for all others; or nothing (`drop`). Titles, which say the type, are
    published with the warehouse's types alone. `stay`: the `pseudonym` of the stay, or nothing (`drop`); the generator
    of NDA must then not give a stay's number the same surrogate in its documents. The text goes on saying what kind of
    document it is, and its dates which documents are near (docs/decisions/2026-11-28-structure.md).
    """

    files: Literal["none", "rewritten"] = "none"
    columns: tuple[Literal["sex", "age_class", "birth_year"], ...] = ()
    services: dict[str, str] = {}
    spans: bool = False
    types: Literal["warehouse", "classes", "drop"] = "warehouse"
    classes: dict[str, ClassName] = {}
    other_class: ClassName = "autre"
    stay: Literal["pseudonym", "drop"] = "pseudonym"

    @model_validator(mode="after")
    def _hidden_structure_stays_hidden(self) -> Self:
        if self.types == "classes" and not self.classes:
            raise ValueError("types: classes needs classes, a class for each type; types: drop publishes none")
        if self.files == "rewritten" and (self.types != "warehouse" or self.stay == "drop"):
            raise ValueError("files: rewritten shows types and stays: it needs types: warehouse and stay: pseudonym")
        return self

    @property
    def beside_digest(self) -> str:
        """8 hexadecimal digits of the settings of data beside the text, `files` aside; empty if none is set."""
        beside = self.model_dump(mode="json", include={"columns", "services", "spans"})
        if self.types == "classes":
            beside |= {"classes": self.classes, "other_class": self.other_class}
        hidden = {name: getattr(self, name) for name in ("types", "stay") if getattr(self, name) == "drop"}
        return _digest(beside | hidden)[:8] if any(beside.values()) or hidden else ""


class PatientPart(Section):
    """Part of the hospital's patients that this project is given: number `take` of `of` parts; by default all of them.

    Two secrets do not part two projects that share documents: their words that were not replaced join them
    (docs/keys.md). Projects whose policies take different parts of one number share no patient. A keyed hash of the
    hospital's patient id says the part, under the secret of `NOCTURNE_PARTITION_SECRET_FILE`, which all of them have;
    a patient merged into another goes with that one, a document without patient by its own id. A project keeps its part
    and a database of its own.
    """

    of: int = Field(1, ge=1, le=1000)
    take: int = Field(1, ge=1)

    @model_validator(mode="after")
    def _is_one_of_them(self) -> PatientPart:
        if self.take > self.of:
            raise ValueError(f"there is no part {self.take} of {self.of}")
        return self


class Promotion(Section):
    """Conditions on which a trained model serves without a person's decision (docs/training.md).

    It must be surely better on `metric` than the model that serves, and no label's recall may fall by more than
    `tolerance`, on at least `least_documents` documents. `clean`: share of documents that keep no direct identifier;
    the others are over all mentions, `overlap` if a character is shared.
    """

    metric: Literal["clean", "exact_f1", "overlap_f1", "overlap_recall", "token_f1", "token_recall"] = "clean"
    tolerance: Share = 0.01
    least_documents: int = Field(50, ge=2)


class Policy(Section):
    """The whole policy of a hospital. `types` are its own entity types, by name (docs/entity-types.md)."""

    version: Literal[1] = 1
    name: str = "default"
    detection: Detection
    types: dict[str, OwnType] = {}
    substitution: SubstitutionPolicy = SubstitutionPolicy()
    quality: Quality = Quality()
    references: References = References()
    release: Release = Release()
    publication: Publication = Publication()
    patients: PatientPart = PatientPart()
    promotion: Promotion = Promotion()

    @model_validator(mode="after")
    def _numbers_give_no_stay_away(self) -> Self:
        number = self.substitution.labels.get(Label.NDA, GeneratorChoice()).provider
        if self.publication.stay == "drop" and number not in generators.UNLINKED:
            raise ValueError(
                f"publication.stay: drop needs {' or '.join(generators.UNLINKED)} for substitution.labels.NDA: by "
                f"{number}, documents of a stay have the same number"
            )
        return self

    @field_validator("types")
    @classmethod
    def _types_have_names(cls, given: dict[str, OwnType]) -> dict[str, OwnType]:
        check_names(given)
        return given

    @property
    def digest(self) -> str:
        """16 hexadecimal digits that name this policy in every row: SHA-256 over its canonical JSON."""
        return _digest(self.content)

    @property
    def content(self) -> dict[str, Any]:
        """Every value, set or default, as JSON types: the input of `digest`."""
        return self.model_dump(mode="json")

    @property
    def text_digest(self) -> str:
        """The same over what decides a document's text: detection, types, and substitution without `rotation`."""
        values = self.model_dump(mode="json", include={"version", "detection", "types", "substitution"})
        del values["substitution"]["rotation"]
        return _digest(values)


def _digest(values: dict[str, Any]) -> str:
    canonical = json.dumps(values, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def load(path: Path | None = None) -> Policy:
    """Read a policy file; None is the policy that ships.

    A file may begin with `extends: default` (or another policy that ships) and hold only what differs: sections are
    merged key by key, lists replace lists.

    Raises:
        PolicyError: the file is absent, is not YAML, or holds a value that no policy may have.
    """
    path = path or DEFAULT
    try:
        given = _resolve_extends(path, _read(path))
        policy = Policy.model_validate(with_digests(given, path))
    except OSError as error:
        raise PolicyError(f"policy {path}: {error.strerror}.", "Give the path of a readable YAML file.") from None
    except yaml.YAMLError as error:
        line = getattr(getattr(error, "problem_mark", None), "line", None)
        where = f" near line {line + 1}" if line is not None else ""
        raise PolicyError(f"policy {path} is not YAML{where}.", "Mend the file.") from None
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        remedy = "See docs/entity-types.md." if where.startswith("types") else "See deid/config/policies/default.yaml."
        if first["type"] == "extra_forbidden" and not where.startswith("types"):
            remedy = "Leave it out or correct its name: docs/policy.md has every key, CHANGELOG.md those that are gone."
        raise PolicyError(f"policy {path}: {where}: {first['msg']}.", remedy) from None
    for own in policy.types.values():
        own.placed(path.parent)
    return policy


def read_kept(content: Any) -> Policy | None:
    """Return a policy that the ledger keeps; None of one that is not there, or of values that this version lacks."""
    try:
        return Policy.model_validate(content)
    except ValidationError as error:
        known = all(one["loc"] in _GONE for one in error.errors())
    with suppress(ValidationError):
        return Policy.model_validate(content, extra="ignore") if known else None
    return None


def _read(path: Path) -> Any:
    # Each step reads the policy anew; libyaml takes a tenth of the time.
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def _resolve_extends(path: Path, given: Any) -> Any:
    """Return the values of a policy file, merged over those of the policy that it extends, if any."""
    if not isinstance(given, dict) or "extends" not in given:
        return given
    shipped = {one.stem: one for one in sorted(DEFAULT.parent.glob("*.yaml")) if one != path}
    base = shipped.get(str(given["extends"]))
    if base is None:
        message = f"policy {path}: it extends {given['extends']}, which does not ship."
        raise PolicyError(message, f"Known: {', '.join(shipped)}.")
    own = {name: value for name, value in given.items() if name != "extends"}
    return _merge_sections(_resolve_extends(base, _read(base)), own)


def _merge_sections(base: Any, own: Any) -> Any:
    if not isinstance(base, dict) or not isinstance(own, dict):
        return own
    return base | {name: _merge_sections(base.get(name), value) for name, value in own.items()}

"""Recall of detection by the origin of names: the same documents with names of eight origins; writes origins.md.

    python -m benchmarks.origins --held-out FOLDER [--every N] [--origin ORIGIN ...] [--missed] [--write]

Documents are those of two authors of `corpus/train`. Names of people are replaced by names of `origins.toml`, whose
lists no part of detection reads, through the code that draws surrogates: one name per person, in each of its written
forms, initials included. Which mentions are misspelt or in capitals is the same for every origin. FOLDER holds the
network trained without these authors (`benchmarks.precision` says how); the transformer that ships learned no tag of
theirs.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
import tomllib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.left_out import Array
from deid.config.policy import AnnotatorChoice, Policy, SubstitutionPolicy
from deid.config.policy import load as load_policy
from deid.detection import Detector
from deid.detection.lookup import Kind, LookupTable, build_lookup, packaged_spellings
from deid.detection.lookup.lexicon import use_lookup
from deid.domain.document import Mention, Patient
from deid.domain.labels import NAMES, Label
from deid.french.folding import in_case_of, words
from deid.reference.names import Crowd, NameTables, name_key
from deid.reference.origins import ORIGINS, OriginModel
from deid.reference.packaged import packaged_rows
from deid.reference.tables import packaged_tables
from deid.substitution.context import DocumentContext
from deid.substitution.names.drawing import Drawing
from deid.substitution.names.parsing import WORD, key_of, pieces
from deid.substitution.names.people import People
from deid.substitution.names.reading import NameReading, Pool
from deid.substitution.names.shorthand import Shorthand
from nocturne_lab.evaluation.corpus import GoldDocument, load_corpus
from nocturne_lab.evaluation.intervals import DRAWS, Interval, drawn_interval, redrawn
from nocturne_lab.evaluation.score_tables import markdown
from nocturne_lab.evaluation.scoring import characters
from nocturne_lab.learning.augmentation.pieces import Piece, assembled, cut_pieces
from nocturne_lab.learning.augmentation.rates import SeededRandom

HERE = Path(__file__)
CORPUS, AUTHORS = HERE.parents[1] / "corpus" / "train", ("w13", "w19")
FRENCH, EIGHT, GOAL = "French", 8, 1.0  # the origins that the goal is about, in points, come first
MISSPELT, IN_CAPITALS = 0.04, 0.08  # shares of mentions
FAMILY_FIRST = {"South-East Asian": 0.5, "Polynesian, Tamil, Comorian": 0.5}  # share of full names in this order
ROLES = (Label.PATIENT, Label.PERSON, Label.DOCTOR)
_PARTICLES = re.compile(r"\b(?:(?:de la|de|du|des|le|la|les) |[dl]['’])(?=[^\W\d_]{2})", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Origin:
    """Names of one origin, whole, as they are written."""

    name: str
    surnames: tuple[str, ...]
    women: tuple[str, ...]
    men: tuple[str, ...]

    @property
    def words(self) -> frozenset[str]:
        """Return the folded words of all names."""
        return frozenset(word for name in (*self.surnames, *self.women, *self.men) for word in words(name))


def read_origins() -> list[Origin]:
    """Return the origins of `origins.toml`, those of the goal first."""
    lists = tomllib.loads(HERE.with_suffix(".toml").read_text(encoding="utf-8"))
    return [Origin(name, *(_names(own[kind]) for kind in ("surnames", "women", "men"))) for name, own in lists.items()]


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.replace("\n", " ").split(",") if name.strip())


# The documents, with other names


class _FromList(Drawing):
    """Names of an origin, one for each word of the document's names; none twice while the list lasts."""

    def __init__(self, people: People, context: DocumentContext, origin: Origin) -> None:
        super().__init__(context, people.roster.tables, people.roster)
        self._origin, self._people = origin, people
        self._rng = SeededRandom(context.document.id)
        self._left: dict[tuple[str, ...], list[str]] = {}
        self._given: dict[tuple[bool, str], str] = {}

    def surrogate(self, word: str, surname: bool, pool: Pool, sex: str | None = None) -> str:
        if (surname, word) not in self._given:
            names = self._origin.surnames if surname else self._first_names(word, pool, sex)
            left = self._left.setdefault(names, [])
            left += [] if left else self._rng.sample(names, len(names))
            self._given[surname, word] = left.pop()
        return self._given[surname, word]

    def _first_names(self, word: str, pool: Pool, sex: str | None) -> tuple[str, ...]:
        roster = self._people.roster
        told = sex or roster.sex_of(word, pool) or roster.tables.sex_of(word)
        return self._origin.men if told == "M" else self._origin.women


class _Renamed(People):
    """The names of a document, written with those of an origin."""

    def __init__(self, context: DocumentContext, origin: Origin) -> None:
        super().__init__(context, packaged_tables().names)
        self.drawing = _FromList(self, context, origin)
        self.shorthand = Shorthand(context, self.roster.tables, self.roster, self.drawing, self._word)
        self._document, self._swapped = context.document.id, FAMILY_FIRST.get(origin.name, 0.0)

    def written(self, mention: Mention) -> str:
        """Return the new text of a mention, misspelt or in capitals by chance."""
        text = self.write(mention, 0).text
        rng = SeededRandom(f"{self._document} {mention.start}")
        misspelt, capitals = rng.random() < MISSPELT, rng.random() < IN_CAPITALS
        text = _slip(text, rng) if misspelt else text
        return text.upper() if capitals else text

    def _pieces(self, mention: Mention, reading: NameReading, attempt: int) -> str:
        whole = [word for word in reading.words if word is not None]
        full = len(reading.words) == 3 and len(whole) == 2 and not whole[0].surname and whole[1].surname
        if full and SeededRandom(f"order {self._document} {mention.start}").random() < self._swapped:
            return " ".join(self._word(mention, word, attempt) for word in reversed(whole))
        return super()._pieces(mention, reading, attempt)

    def identity(self, patient: Patient) -> Patient:
        """Return the patient with names of the origin."""
        return replace(
            patient,
            last_name=patient.last_name and self._name(patient.last_name, True),
            birth_name=patient.birth_name and self._name(patient.birth_name, True),
            first_names=tuple(self._name(name, False) for name in patient.first_names),
        )

    def _name(self, name: str, surname: bool) -> str:
        found = pieces(_PARTICLES.sub("", name), after_title=True)
        return "".join(
            in_case_of(text, self.drawing.surrogate(key_of(text), surname, Pool.PATIENT)) if sort is WORD else text
            for sort, text in found
        )


def _slip(text: str, rng: SeededRandom) -> str:
    """Leave out, double or exchange a letter inside the longest word; short words stay."""
    word = max(re.findall(r"[^\W\d_]+", text), key=len, default="")
    if len(word) < 5:
        return text
    at, kind = rng.randrange(1, len(word) - 1), rng.randrange(3)
    wrong = (
        word[:at] + word[at + 1 :],
        word[: at + 1] + word[at:],
        word[:at] + word[at + 1] + word[at] + word[at + 2 :],
    )
    return text.replace(word, wrong[kind], 1)


def renamed(gold: GoldDocument, origin: Origin) -> GoldDocument:
    """Return a document with names of an origin, in its text and its patient's identity; French particles go."""
    plain = [
        Piece(_PARTICLES.sub("", one.text), one.label) if one.label in NAMES else one
        for one in cut_pieces(gold.document.text, gold.mentions)
    ]
    bare = replace_text(gold, plain, gold.document.patient)
    mentions = [one for one in bare.mentions if "\n" not in bare.document.text[one.start : one.end]]
    people = _Renamed(
        DocumentContext(bare.document, mentions, SubstitutionPolicy(scope="document"), b"origins"), origin
    )
    known = {mention.start: mention for mention in mentions if mention.label in NAMES}
    result, at = [], 0
    for piece in plain:
        mention = known.get(at) if piece.label is not None else None
        result.append(piece if mention is None else Piece(people.written(mention), piece.label))
        at += len(piece.text)
    return replace_text(bare, result, people.identity(bare.document.patient))


def replace_text(gold: GoldDocument, made_of: Sequence[Piece], patient: Patient) -> GoldDocument:
    """Return a document of other pieces."""
    made = assembled(gold, made_of, gold.document.id)
    return replace(made, document=replace(gold.document, text=made.document.text, patient=patient))


# Counts


def missed(gold: GoldDocument, found: Sequence[Mention]) -> Iterator[tuple[Mention, bool]]:
    """Yield each name with whether a letter or digit of it is outside all mentions found, whatever their label."""
    text = gold.document.text
    covered = characters(text, found, frozenset(Label))
    for mention in gold.mentions:
        if mention.label in NAMES:
            yield mention, any(text[at].isalnum() for at in characters(text, [mention], NAMES) - covered)


def tally(documents: Sequence[GoldDocument], found: Sequence[Sequence[Mention]]) -> Array:
    """Return per document and role the names that were missed, and all (documents, roles, 2)."""
    counts = np.zeros((len(documents), len(ROLES), 2))
    for row, (gold, mentions) in enumerate(zip(documents, found, strict=True)):
        for mention, lost in missed(gold, mentions):
            counts[row, ROLES.index(mention.label)] += (lost, 1)
    return counts


def recall(counts: Array) -> Interval:
    """Return the recall in percent of counts (documents, 2), with its interval."""
    drawn = _recalls(counts)
    return Interval(_recall(counts.sum(axis=0)), *drawn_interval(drawn))


def gap(counts: Array, others: Array) -> Interval:
    """Return the points by which the recall of counts exceeds that of others, on the same draws of documents."""
    drawn = _recalls(counts) - _recalls(others)
    value = _recall(counts.sum(axis=0)) - _recall(others.sum(axis=0))
    return Interval(value, *drawn_interval(drawn))


def _recalls(counts: Array) -> Array:
    sums = counts[redrawn(len(counts))].sum(axis=1)
    recalls: Array = 100 * (1 - sums[:, 0] / sums[:, 1])
    return recalls


def _recall(sums: Array) -> float:
    return float(100 * (1 - sums[0] / sums[1]))


@dataclass(frozen=True, slots=True)
class Measured:
    """Counts of one origin: the patient known, the patient unknown, and known by tables that lack these names."""

    known: Array
    unknown: Array
    untabled: Array

    def cells(self) -> list[str]:
        """Return the recalls of a row."""
        of_roles = [recall(self.known[:, role]) for role in range(len(ROLES))]
        patient, relative, staff = of_roles
        shown = (
            recall(self.known.sum(axis=1)), patient, recall(self.unknown[:, 0]), relative, staff,
            recall(self.untabled.sum(axis=1)),
        )  # fmt: skip
        return [str(one) for one in shown]


def policy_of(held_out: Path | None) -> Policy:
    """Return the policy that ships, with the network of a folder."""
    policy = load_policy()
    if held_out is None:
        return policy
    choices = tuple(
        AnnotatorChoice(name=one.name, options={**one.options, "model": str(held_out.resolve())})
        if one.name == "bilstm_crf"
        else one
        for one in policy.detection.annotators
    )
    return policy.model_copy(update={"detection": policy.detection.model_copy(update={"annotators": choices})})


def lookup_without(names: frozenset[str]) -> LookupTable:
    """Return the packaged lookup without these words as names of people."""
    people = (Kind.FIRST_NAME, Kind.SURNAME)
    return LookupTable.of(
        build_lookup(one for one in packaged_spellings() if one[0] not in people or one[1] not in names)
    )


def measure(gold: Sequence[GoldDocument], origin: Origin, policy: Policy, show: bool) -> Measured:
    """Detect the documents with names of an origin three times; `show` prints what is missed."""
    documents = [renamed(one, origin) for one in gold]
    alone = [one.without_identity() for one in documents]

    def counted(own: Sequence[GoldDocument], titled: str) -> Array:
        found = Detector(policy).detect([one.document for one in own])
        if show:
            _show(own, found, f"{origin.name}, {titled}")
        return tally(own, found)

    known, unknown = counted(documents, "known"), counted(alone, "unknown")
    use_lookup(lookup_without(origin.words))
    try:
        return Measured(known, unknown, counted(documents, "untabled"))
    finally:
        use_lookup(None)


def _show(documents: Sequence[GoldDocument], found: Sequence[Sequence[Mention]], titled: str) -> None:
    for gold, mentions in zip(documents, found, strict=True):
        text = gold.document.text
        for one, lost in missed(gold, mentions):
            if lost:
                before, after = text[max(0, one.start - 50) : one.start], text[one.end : one.end + 30]
                hidden = "".join(
                    "*" if any(mention.start <= at < mention.end for mention in mentions) else text[at]
                    for at in range(one.start, one.end)
                )
                print(f"{titled}: {gold.document.id} {one.label}: {before!r} [[{hidden}]] {after!r}")


# What a surrogate tells of its original


def told_by_crowds(names: NameTables) -> str:
    """Tabulate by origin how often the best guess of a name is right for who knows its crowd, by births in France."""
    first = {word: one.births for word, one in names.first.items()}
    births: dict[str, int] = {}  # of several spellings of a name, those of the most frequent
    for row in packaged_rows("surnames"):
        births.setdefault(name_key(row["name"]), int(row["births"]))
    surnames = _guesses(births, names.surnames_like, names.origins[0])
    called = _guesses(first, names.first_names_like, names.origins[1])
    head = [
        "origin",
        *(f"{kind}: {what}" for kind in ("surnames", "first names") for what in ("names", "drawn", "guess")),
    ]
    return markdown(head, [[origin, *surnames[origin], *called[origin]] for origin in ("all", *ORIGINS)])


def _guesses(
    births: Mapping[str, int], crowd_of: Callable[[str], Crowd], model: OriginModel
) -> dict[str, tuple[str, str, str]]:
    """Return per origin its names, the surrogates of its crowds, and the share of people whom the best guess names."""
    people, right, names = Counter[str](), Counter[str](), Counter[str]()
    best: dict[int, tuple[int, str]] = {}
    drawn: dict[str, dict[int, int]] = defaultdict(dict)
    for word, born in births.items():
        crowd, origin = crowd_of(word), model.origin_of(word, born)
        names[origin] += 1
        people[origin] += born
        drawn[origin][crowd.number] = len(crowd.members)
        best[crowd.number] = max(best.get(crowd.number, (0, "")), (born, origin))
    for born, origin in best.values():
        right[origin] += born
    shown = {
        one: (f"{names[one]:,}", f"{sum(drawn[one].values()):,}", f"{right[one] / people[one]:.2%}") for one in people
    }
    every = {number: size for sizes in drawn.values() for number, size in sizes.items()}
    whole = f"{names.total():,}", f"{sum(every.values()):,}", f"{right.total() / people.total():.2%}"
    return {"all": whole, **shown}


# The page

HEAD = """Written by `python -m benchmarks.origins --held-out FOLDER --every {every} --write`: {documents} documents of
the authors {authors}, {names:,} names of people in each, the policy that ships. The network was trained without these
authors; the transformer is the one that ships, which learned no tag of theirs. Names are replaced by those of
`origins.toml`, {least} to {most} of an origin, written for this benchmark: whole, with their apostrophes, particles and
double names, of one letter too, the family first in half of the full names of South-East Asia and Polynesia.
{misspelt:.0%} of the mentions are misspelt and {capitals:.0%} put in capitals, the same for every origin.

Recall is the share of names whose letters are all inside a mention found, in percent, with 95 % intervals (bootstrap of
documents, {draws:,} draws). `not in the tables` is everybody's with a lookup that lacks every word of these names.
Beside each origin stands the share of its words that the lookup has as names of people."""
TOLD = """The gap between the best and the worst of the eight is {gap:.2f} points, and {limit} the goal of
{goal:g}. By role it is {roles}; with tables that lack the names {untabled:.2f}."""

CROWDS = """A name is drawn from a crowd of its origin where the origin has names enough. `names` are those of the
register that read as of the origin, `drawn` the surrogates of their crowds. `guess`: who knows the crowd of each name,
as its surrogate tells, and the births of the register, guesses the most frequent name of the crowd; the share of people
of the origin for whom that is right."""


def page(origins: Sequence[Origin], measured: Mapping[str, Measured], documents: int, every: int) -> str:
    """Return the page."""
    eight = [measured[one.name] for one in origins[:EIGHT]]
    first = next(iter(measured.values()))
    spread = _spread([one.known.sum(axis=1) for one in eight])
    roles = {
        "patient, known": [one.known[:, 0] for one in eight],
        "patient, unknown": [one.unknown[:, 0] for one in eight],
        "relative": [one.known[:, 1] for one in eight],
        "staff": [one.known[:, 2] for one in eight],
    }
    sizes = [len(one.surnames) + len(one.women) + len(one.men) for one in origins[:EIGHT]]
    head = HEAD.format(
        every=every, documents=documents, authors=" and ".join(AUTHORS), names=int(first.known[..., 1].sum()),
        least=min(sizes), most=max(sizes), misspelt=MISSPELT, capitals=IN_CAPITALS, draws=DRAWS,
    )  # fmt: skip
    told = TOLD.format(
        gap=spread, limit="within" if spread <= GOAL else "above", goal=GOAL,
        roles=", ".join(f"{name} {_spread(counts):.2f}" for name, counts in roles.items()),
        untabled=_spread([one.untabled.sum(axis=1) for one in eight]),
    )  # fmt: skip
    crowds = told_by_crowds(packaged_tables().names)
    parts = ["# Names by origin", "## Recall", head, _table(origins, measured), told, "## Surrogates", CROWDS, crowds]
    return "\n\n".join(one if one.startswith(("|", "#")) else _filled(one) for one in parts) + "\n"


def _spread(counts: Sequence[Array]) -> float:
    values = [_recall(one.sum(axis=0)) for one in counts]
    return max(values) - min(values)


def _filled(text: str) -> str:
    return "\n\n".join(textwrap.fill(part, 120, break_long_words=False) for part in text.split("\n\n"))


def _table(origins: Sequence[Origin], measured: Mapping[str, Measured]) -> str:
    roles = ("patient, known", "patient, unknown", "relative", "staff")
    head = ["origin", "words in tables", "all", "beyond French", *roles, "not in the tables"]
    french = measured.get(FRENCH)
    rows = []
    for origin in origins:
        own = measured[origin.name]
        beyond = str(gap(own.known.sum(axis=1), french.known.sum(axis=1))) if french and own is not french else "–"
        every, *others = own.cells()
        rows.append([origin.name, f"{_tabled(origin):.0%}", every, beyond, *others])
    return markdown(head, rows)


def _tabled(origin: Origin) -> float:
    people = {one[1] for one in packaged_spellings() if one[0] in (Kind.FIRST_NAME, Kind.SURNAME)}
    return len(origin.words & people) / len(origin.words)


def main() -> int:
    """Print the table, or write the page; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--held-out", type=Path, help="the network trained without the authors")
    parser.add_argument("--every", type=int, default=1, help="take one document in N")
    parser.add_argument("--origin", action="append", help="one of origins.toml; all by default")
    parser.add_argument("--missed", action="store_true", help="print what is missed, with its surroundings")
    parser.add_argument("--crowds", action="store_true", help="print only what surrogates tell of their originals")
    parser.add_argument("--write", action="store_true", help="write benchmarks/origins.md")
    given = parser.parse_args()
    if given.crowds:
        print(told_by_crowds(packaged_tables().names))
        return 0
    origins = [one for one in read_origins() if not given.origin or one.name in given.origin]
    gold = [one for one in load_corpus(CORPUS) if one.author in AUTHORS][:: given.every]
    policy = policy_of(given.held_out)
    measured = {}
    for origin in origins:
        measured[origin.name] = measure(gold, origin, policy, given.missed)
        print(origin.name, file=sys.stderr)
    if given.write:
        text = page(origins, measured, len(gold), given.every)
        HERE.with_suffix(".md").write_text(text, encoding="utf-8")
    else:
        print(_table(origins, measured))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Public tools that hide names and numbers, and Nocturne, side by side on the same invented documents.

    python -m benchmarks.side_by_side [--documents 10000] [--environments FOLDER] [--kept FOLDER] [--write]

Each tool of `side_by_side.txt` is installed with pip, from the index that pip is set to, in an environment of its own:
in a temporary folder, or in FOLDER, which keeps it for the next run. `hide_with_tool.py` runs it there. `--kept` keeps
what each tool hid as soon as it is done, so that a run that was cut goes on with the tool that it was at; it is asked
again where the tool's packages, the documents or the code are others.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from math import ceil
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from deid.domain.document import Mention, Patient
from deid.domain.labels import DIRECT, QUASI, TAGGED, Label
from demo.hospital import generate
from demo.hospital.timeline import FAULTS
from demo.population import DOCUMENTS_PER_PATIENT, SEED, population_of
from nocturne_lab.evaluation.corpus import load_corpus
from nocturne_lab.evaluation.intervals import drawn_interval, resampled
from nocturne_lab.evaluation.score_tables import markdown

ROOT = Path(__file__).parents[1]
PAGE, PACKAGES = Path(__file__).with_suffix(".md"), Path(__file__).with_suffix(".txt")
DRIVER = Path(__file__).with_name("hide_with_tool.py")
UNSEEN = ROOT / "corpus" / "unseen"
OURS = ""  # the environment that runs this
# Name in `hide_with_tool.TOOLS` → the first package of its environment, and how it is set.
TOOLS: Mapping[str, tuple[str, str]] = {
    "nocturne default": (OURS, "policy `default`, which prefers to hide"),
    "nocturne light": (OURS, "policy `light`, without the transformer"),
    "unpii standard": ("unpii", "mode `standard`, the words in `mask`"),
    "unpii paranoid": ("unpii", "mode `paranoid`, the words in `mask`"),
    "incognito": (
        "incognito-anonymizer",
        "`pii`, then `regex`; its fields: first name, names, birth date, IPP, NDA, postal code, address",
    ),
    "incognito lossy": ("incognito-anonymizer", "the same, then `lossy`"),
    "presidio sm": (
        "presidio-analyzer",
        "`fr_core_news_sm` (people, places, organisations) and every recognizer that is of no country; telephones of "
        "France and overseas, possible ones too; the words as a deny list; `.example` as a domain",
    ),
    "presidio md": ("presidio-analyzer", "the same with `fr_core_news_md`"),
    "crate": (
        "crate-anon",
        "its scrubbers of texts, without databases: values of the patient by their kind; all dates (English months), "
        "numbers of 10, 11, 13 and 15 digits, e-mail addresses. It has no list of names in French",
    ),
}
GROUPS: Mapping[str, frozenset[Label]] = {
    "direct": DIRECT,
    "others": QUASI,
    **{str(label): frozenset({label}) for label in TAGGED},
}
_COLUMNS = 2 * len(GROUPS) + 2

_PAGE = """# Nocturne beside other tools

Written by `python -m benchmarks.side_by_side --documents {asked} --write` (10,000 documents of the synthetic hospital
unless told otherwise), each tool in an environment of its own: {packages}.
Each is told what the warehouse knows of the patient: names, birth date, address, telephones, e-mail, IPP, NDA and NIR,
by the means that it has for that (“the words” below: these values, one by one). The staff and the dates of documents
are told to none. A mention is covered where all of its letters and digits are hidden. A word (`\\w+`) that no true
mention meets is touched where one of its characters is hidden. 95 % intervals by bootstrap of patients. Speed: by
second of processor, on one thread, start left out, beside other work; memory: the peak of the whole process.

The documents are ours, as is the definition of a mention: both favour Nocturne, whose rules and taggers were made on
texts of the same kind (`corpus/unseen` less so). Other tools aim at fewer kinds of mentions, none of them at ages, as
the tables by label show; CRATE was made for English texts; invented web addresses end in `.example`, which patterns
with a list of domains do not know. What is hidden counts here, not what takes its place.

| tool | how it is set |
| :-- | :-- |
{settings}
{parts}"""
_PART = """
## {title}

{documents:,} documents of {patients:,} patients: {characters:,} characters, {mentions:,} true mentions, {words:,} words
without one. {said}

{summary}

Coverage by label, %:

{labels}
"""
_HOSPITAL = "The synthetic hospital (`demo.hospital`), seed {seed}, first versions, plain text as read."
_UNSEEN = "`corpus/unseen`: no model of ours learned from its authors; rules were mended for what was read in some."
_HEAD = ("tool", "direct identifiers covered, %", "other mentions covered, %", "other words touched, %")


@dataclass(frozen=True, slots=True)
class Case:
    """A document, its true mentions, and what the warehouse knows of its patient; `unit` is drawn as a whole."""

    text: str
    mentions: Sequence[Mention]
    patient: Patient
    unit: str


@dataclass(frozen=True, slots=True)
class Run:
    """The result of one tool: the parts that it hid in each document, or why it could not be run."""

    hidden: Sequence[Sequence[tuple[int, int]]] = ()
    seconds: float = 0.0
    peak: int = 0  # KiB
    failure: str = ""


def hospital_cases(documents: int) -> list[Case]:
    """Return documents of the synthetic hospital with all that its warehouse knows of their patients."""
    patients = ceil(documents / DOCUMENTS_PER_PATIENT)
    hospital = generate(SEED, patients=patients, documents=documents + len(FAULTS), progress=True)
    people, stays = ({one.patient_id: one for one in hospital.patients}, {one.stay_id: one for one in hospital.stays})
    stay_of = {one.document_id: stays[one.stay_id] for one in hospital.documents if one.stay_id}
    cases = []
    for record in population_of(hospital).records:
        known = record.document.patient
        person = people[str(known.key)]
        patient = replace(
            known,
            addresses=(person.address_line,),
            phones=tuple(filter(None, (person.phone, person.mobile))),
            emails=tuple(filter(None, (person.email,))),
            ipp=person.ipp,
            nir=person.nir,
            nda=stay_of[record.document.id].nda,
        )
        cases.append(Case(record.document.text, record.mentions, patient, person.patient_id))
    return cases


def unseen_cases() -> list[Case]:
    """Return the documents of authors that nothing learned from, each of a patient of its own."""
    read = load_corpus(UNSEEN)
    return [Case(one.document.text, one.mentions, one.document.patient, one.document.id) for one in read]


def counts(case: Case, hidden: Sequence[tuple[int, int]]) -> list[int]:
    """Return covered and true mentions of each of `GROUPS`, then words touched and words without a mention."""
    hides, marked = np.zeros(len(case.text), dtype=bool), np.zeros(len(case.text), dtype=bool)
    for start, end in hidden:
        hides[start:end] = True
    signs = np.fromiter((one.isalnum() for one in case.text), bool, len(case.text))
    covered = []
    for one in case.mentions:
        marked[one.start : one.end] = True
        covered.append((one.label, bool(hides[one.start : one.end][signs[one.start : one.end]].all())))
    row = []
    for labels in GROUPS.values():
        own = [whole for label, whole in covered if label in labels]
        row += [sum(own), len(own)]
    words = [one.span() for one in re.finditer(r"\w+", case.text)]
    others = [bool(hides[start:end].any()) for start, end in words if not marked[start:end].any()]
    return [*row, sum(others), len(others)]


def figures(cases: Sequence[Case], run: Run) -> tuple[list[str], NDArray[np.int64]]:
    """Return the shares of `counts` in percent with their intervals, and the sums of the counts."""
    units = {name: at for at, name in enumerate(dict.fromkeys(case.unit for case in cases))}
    sums = np.zeros((len(units), _COLUMNS), dtype=np.int64)
    for case, hidden in zip(cases, run.hidden, strict=True):
        sums[units[case.unit]] += counts(case, hidden)
    drawn = np.vstack([np.ones(len(units)), resampled(len(units))]) @ sums.astype(np.float64)
    digits = [*[1] * len(GROUPS), 2]  # words are touched seldom
    shares = [_share(drawn[:, 2 * at], drawn[:, 2 * at + 1], shown) for at, shown in enumerate(digits)]
    return shares, sums.sum(axis=0)


def _share(found: NDArray[np.float64], tried: NDArray[np.float64], digits: int) -> str:
    if not tried[0]:
        return "–"
    shares = 100 * found[tried > 0] / tried[tried > 0]
    low, high = drawn_interval(shares[1:])
    return f"{shares[0]:.{digits}f} ({low:.{digits}f}–{high:.{digits}f})"


def packages_listed() -> list[list[str]]:
    """Return the packages of each environment of `PACKAGES`, pinned; the first one names it."""
    lines = PACKAGES.read_text(encoding="utf-8").splitlines()
    return [line.split() for line in lines if line and not line.startswith("#")]


def environments(folder: Path) -> dict[str, str]:
    """Make the environment of each line of `PACKAGES` that is not there; return why one could not be, by its name."""
    failures = {}
    for packages in packages_listed():
        name = packages[0].partition("==")[0]
        if (folder / name / "made").exists():
            continue
        print("installing", *packages, file=sys.stderr)
        python = folder / name / "bin" / "python"
        failure = _failure([sys.executable, "-m", "venv", "--clear", str(folder / name)]) or _failure(
            [str(python), "-m", "pip", "install", "--quiet", "--no-input", *packages]
        )
        if failure:
            failures[name] = failure
        else:
            (folder / name / "made").touch()
    return failures


def _failure(command: Sequence[str], path: str = "") -> str:
    """Run a command on one thread; return the last line of its errors if it failed, "" if it did not."""
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
    settings = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(
        command,
        env={**settings, **threads, **({"PYTHONPATH": path} if path else {})},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    return (lines[-1] if lines else f"exit status {done.returncode}") if done.returncode else ""


def run_tool(name: str, cases: Iterable[Case], python: str, driver: Path = DRIVER) -> Run:
    """Return what a tool hides in each document, by the interpreter of its environment."""
    with tempfile.TemporaryDirectory() as folder:
        given, hidden = Path(folder, "documents.jsonl"), Path(folder, "hidden.jsonl")
        with given.open("w", encoding="utf-8") as lines:
            for case in cases:
                lines.write(_line(case))
        path = str(ROOT) if python == sys.executable else ""
        # -P: this folder holds modules called as those of tools are.
        failure = _failure([python, "-P", str(driver), name, str(given), str(hidden)], path)
        if failure:
            return Run(failure=failure)
        *found, spent = map(json.loads, hidden.read_text(encoding="utf-8").splitlines())
        return Run(found, spent["seconds"], spent["peak"])


def _line(case: Case) -> str:
    """Return what a tool is given of a document."""
    return json.dumps({"text": case.text, "patient": case.patient.as_json()}) + "\n"


def code_version() -> str:
    """Return the commit of this checkout, with a digest of what is changed since."""
    commit, changes = (
        subprocess.run(["git", "-C", str(ROOT), *asked], capture_output=True, check=True).stdout
        for asked in (["rev-parse", "HEAD"], ["diff", "HEAD"])
    )
    changed = f"+{hashlib.sha256(changes).hexdigest()[:12]}" if changes else ""
    return commit.decode().strip() + changed


def kept(folder: Path | None, made_by: Mapping[str, str], cases: Iterable[Case], run: Callable[[], Run]) -> Run:
    """Return a result from `folder`, or of `run`, which is then kept there unless it failed.

    Args:
        folder: of results; none are kept without one.
        made_by: the tool, its packages and the version of the code.
        cases: the documents.
        run: asks the tool.
    """
    if folder is None:
        return run()
    documents = hashlib.sha256("".join(map(_line, cases)).encode()).hexdigest()
    key = {**made_by, "documents": documents}
    path = folder / f"{hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()[:24]}.json"
    if path.exists():
        return Run(**json.loads(path.read_text(encoding="utf-8"))["run"])
    found = run()
    if not found.failure:
        folder.mkdir(parents=True, exist_ok=True)
        part_of_it = path.with_suffix(".part")
        part_of_it.write_text(json.dumps({"key": key, "run": asdict(found)}), encoding="utf-8")
        part_of_it.replace(path)
    return found


def part(title: str, said: str, cases: Sequence[Case], ran: Mapping[str, Run]) -> str:
    """Return the section of one set of documents."""
    _, sums = figures(cases, Run([[]] * len(cases)))
    characters = sum(len(case.text) for case in cases)
    good = {name: figures(cases, run)[0] for name, run in ran.items() if not run.failure}
    direct, others, *_, words = range(len(GROUPS) + 1)
    summary = [
        [
            name,
            *(shares[at] for at in (direct, others, words)),
            f"{characters / max(ran[name].seconds, 1e-9):,.0f}",
            f"{ran[name].peak / 1024:,.0f}",
        ]
        for name, shares in good.items()
    ]
    summary += [
        [name, f"not run: {run.failure.replace('|', '/')}", *[""] * 4] for name, run in ran.items() if run.failure
    ]
    labels = [
        [label, f"{sums[2 * at + 1]:,}", *(shares[at] for shares in good.values())]
        for at, label in enumerate(GROUPS)
        if at > others and sums[2 * at + 1]
    ]
    return _PART.format(
        title=title,
        said=said,
        documents=len(cases),
        patients=len({case.unit for case in cases}),
        characters=characters,
        mentions=int(sums[1] + sums[3]),
        words=int(sums[-1]),
        summary=markdown([*_HEAD, "characters per second", "peak memory, MiB"], summary),
        labels=markdown(["label", "mentions", *good], labels),
    )


def main() -> int:
    """Print the page, or write it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=10_000, help="documents of the synthetic hospital")
    parser.add_argument("--environments", type=Path, help="keep the tools' environments in this folder")
    parser.add_argument("--kept", type=Path, help="keep each tool's result in this folder, and take it from there")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    given = parser.parse_args()
    sets = (
        ("Synthetic hospital", _HOSPITAL.format(seed=SEED), hospital_cases(given.documents)),
        ("Authors that nothing learned from", _UNSEEN, unseen_cases()),
    )
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.environments or Path(temporary)).resolve()
        failures = environments(folder)
        packages_of = {one[0].partition("==")[0]: " ".join(one) for one in packages_listed()}
        code = code_version() if given.kept else ""
        parts = []
        for title, said, cases in sets:
            ran = {}
            for name, (environment, _) in TOOLS.items():
                print(f"{title}: {name}", file=sys.stderr)
                python = str(folder / environment / "bin" / "python") if environment else sys.executable
                failure = failures.get(environment)
                made_by = {"tool": name, "packages": packages_of.get(environment, ""), "code": code}
                ran[name] = (
                    Run(failure=failure)
                    if failure
                    else kept(given.kept, made_by, cases, partial(run_tool, name, cases, python))
                )
            parts.append(part(title, said, cases, ran))
    settings = "\n".join(f"| {name} | {said} |" for name, (_, said) in TOOLS.items())
    packages = "; ".join(f"`{' '.join(one)}`" for one in packages_listed())
    text = _PAGE.format(asked=given.documents, packages=packages, settings=settings, parts="".join(parts))
    if given.write:
        PAGE.write_text(text, "utf-8")
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())

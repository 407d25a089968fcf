"""Plant identities in files of every format, pass these through the product, and search what it writes for them.

    python -m benchmarks.hostile_files [--samples FOLDER …] [--seed N] [--files 200] [--each] [--write]

A file is a sample with an invented identity in a place drawn at random (`benchmarks.hostile_places`), written in an
encoding drawn at random; some files stand within another file, some are UTF-16. For half of them the product knows the
identity as the patient's, for the others a sentence of the file announces it. What is written is searched by
`benchmarks.raw_search`, which shares no code with the product. `--samples` names folders, or bare repositories of Git,
whose files are used beside those that this repository makes. Only samples that the product writes as they are count.
"""

from __future__ import annotations

import argparse
import base64
import json
import logging
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.policy import SMTP
from functools import partial
from pathlib import Path
from random import Random

from benchmarks import formats
from benchmarks.hostile_places import ENCODINGS, FAMILIES, WORDS, text_of, zipped
from benchmarks.raw_search import found_in
from deid.config.policy import DEFAULT
from deid.config.policy import load as load_policy
from deid.detection import Detector
from deid.domain.document import Document, Patient
from deid.domain.limits import Limits
from deid.domain.outcomes import Deidentified, Incoming, Refused
from deid.formats.fields import FileRules
from deid.formats.recognition import recognise
from deid.pipeline import deidentify
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from nocturne_lab.evaluation.score_tables import markdown
from tests.unit.formats.samples import SAMPLES

PAGE = Path(__file__).with_suffix(".md")
FILES, SEED = 200, 7
_MOST_BYTES, _MOST_EACH = 200_000, 12  # of a sample; samples of a format from one source
# Formats of clinical files by their content: texts and pages of a repository are about its code
_CLINICAL = frozenset({"cda", "dicom", "docx", "eml", "fhir", "fhir_xml", "hl7", "pdf", "rtf", "vcf", "xlsx"})
_SYLLABLES = "ker vré zhou plou gwa trez mou noz lez pen skri vog dua bré zig ouar".split()
_WAYS = "rue", "impasse", "avenue", "chemin"
ENDINGS = {"text": "txt", "cda": "xml", "fhir": "json", "dicom": "dcm"}  # of other formats, their names

_PAGE = """# Hostile files

Written by `python -m benchmarks.hostile_files --write{arguments}`: {count} files, each a sample with an invented
identity (surname, first name, phone, IPP, street) planted in a place and an encoding drawn at random, under the policy
`rules`. For half of them the product knows the identity as the patient's; in the others a sentence of the file says
it. What is written is searched without any code of the product (`benchmarks/raw_search.py`), which found each value in
the file as it was planted.

**{leaks} of {count} leak** (written, and a value is found in the bytes); {clean} are written without any; {refused} are
held back.

{formats}

Held back, by reason:

{reasons}

{places}

Samples: a file that the product holds back before anything is planted in it is no sample.

{samples}
"""


@dataclass(frozen=True)
class Sample:
    """A file without a plant; `source` is where it comes from."""

    source: str
    name: str
    format: str
    raw: bytes


@dataclass(frozen=True)
class Identity:
    """An invented person, whose names and street no table holds."""

    last: str
    first: str
    phone: str
    ipp: str
    street: str

    @classmethod
    def invented(cls, random: Random) -> Identity:
        """Draw one."""
        last, first, way = ("".join(random.sample(_SYLLABLES, count)).capitalize() for count in (4, 3, 4))
        phone = f"06 {' '.join(f'{random.randrange(10, 99)}' for _ in range(4))}"
        street = f"{random.randrange(2, 99)} {random.choice(_WAYS)} {way}"
        return cls(last, first, phone, f"80{random.randrange(10**7, 10**8)}", street)

    @property
    def values(self) -> tuple[str, ...]:
        """Values that a written file may not hold."""
        return self.last, self.first, self.phone, self.ipp, self.street

    @property
    def sentence(self) -> str:
        """Words that announce the identity to whoever reads them."""
        return (
            f"Patiente : Mme {self.last.upper()} {self.first}, IPP {self.ipp}, demeurant {self.street}, "
            f"téléphone {self.phone}."
        )

    @property
    def patient(self) -> Patient:
        """The patient whom a warehouse knows; hospital ids of the file's own fields stay other ones."""
        return Patient(
            self.ipp, self.last, None, (self.first,), addresses=(self.street,), phones=(self.phone,),
            identifiers=(self.ipp,),
        )  # fmt: skip


@dataclass(frozen=True)
class Hostile:
    """A file with an identity in it: where, how, and whether the product knows whose it is."""

    sample: Sample
    identity: Identity
    place: str
    encoding: str
    known: bool
    raw: bytes
    name: str

    @property
    def patient(self) -> Patient:
        """Patient as the product knows him or her."""
        return self.identity.patient if self.known else Patient(key=self.identity.ipp)


@dataclass(frozen=True)
class Judged:
    """Outcome of a hostile file: values found in what was written, or the reason why nothing was."""

    hostile: Hostile
    written: bool
    found: Collection[str] = ()
    reason: str = ""


# ---- Samples


def built_in() -> list[Sample]:
    """Return samples of every format that this repository makes by code."""
    found = [Sample("this repository", hint, name, raw) for name, (hint, raw) in SAMPLES.items()]
    vcf = formats.vcf()[:9000].rpartition(b"\n")[0] + b"\n"
    made = {**letters(formats.letter()[:30]), "vcf": vcf}
    return found + [
        Sample("this repository", f"prose.{ENDINGS.get(name, name)}", name, raw) for name, raw in made.items()
    ]


def letters(lines: list[str]) -> dict[str, bytes]:
    """Return a letter as a file of each format that holds one."""
    rows = formats.table(lines, 12)
    bundle = formats.fhir(lines)
    notes = "".join(f"<note date='2024-03-02'>{one}</note>" for one in lines if not {*"<&"} & {*one})
    return {
        "text": "\n".join(lines).encode("cp1252", "replace"), "html": formats.page(lines), "rtf": formats.rtf(lines),
        "docx": formats.docx(lines), "xlsx": formats.xlsx(rows), "pdf": formats.pdf(lines),
        "xml": f"<dossier>{notes}</dossier>".encode(), "cda": formats.cda(lines), "hl7": formats.hl7(lines),
        "json": json.dumps({"notes": lines}, ensure_ascii=False).encode(),
        "csv": "\n".join(";".join(one.replace(";", ",") for one in row) for row in rows).encode(),
        "fhir": json.dumps({**bundle, "entry": bundle["entry"][:20]}, ensure_ascii=False).encode(),
        "dicom": formats.dicom(lines), "eml": formats.eml(lines),
        "zip": zipped({"a.txt": lines[0].encode(), "b.html": formats.page(lines[:9])}),
    }  # fmt: skip


def samples_of(folder: Path, random: Random) -> list[Sample]:
    """Return files of a folder, or of the last commit of a bare repository, whose formats have places to plant in."""
    by_format: defaultdict[str, list[Sample]] = defaultdict(list)
    for source, name, read in sorted(
        _git_files(folder) if (folder / "objects").is_dir() else _files(folder), key=lambda one: one[1]
    ):
        raw = read()
        if (format := recognise(raw, name)) in _CLINICAL:
            by_format[format].append(Sample(source, name, format, raw))
    return [one for _, found in sorted(by_format.items()) for one in random.sample(found, min(len(found), _MOST_EACH))]


def _files(folder: Path) -> Iterator[tuple[str, str, partial[bytes]]]:
    for path in folder.rglob("*"):
        if path.is_file() and 0 < path.stat().st_size <= _MOST_BYTES:
            yield f"folder `{folder.name}`", str(path.relative_to(folder)), partial(path.read_bytes)


def _git_files(folder: Path) -> Iterator[tuple[str, str, partial[bytes]]]:
    def git(*words: str) -> bytes:
        return subprocess.run(["git", "--git-dir", str(folder), *words], check=True, capture_output=True).stdout

    name = (folder.parent.name if folder.name == "repo" else folder.stem).replace("+", "/")
    source = f"{name} at {git('rev-parse', 'HEAD').decode()[:12]}"
    for line in git("ls-tree", "-r", "-l", "HEAD").decode().splitlines():
        (_, kind, _, size), path = line.partition("\t")[0].split(), line.partition("\t")[2]
        if kind == "blob" and 0 < int(size) <= _MOST_BYTES and not path.endswith((".java", ".py", ".class", ".vm")):
            yield source, path, partial(git, "show", f"HEAD:{path}")


# ---- Plants


def plant(sample: Sample, random: Random, *, known: bool) -> Hostile | None:
    """Return a sample with an identity in it; None where the drawn place is not in the sample."""
    identity = Identity.invented(random)
    places = FAMILIES[sample.format]
    place, encoding = random.choice(list(places)), random.choice(["as it is"] * 2 * len(ENCODINGS) + list(ENCODINGS))
    told = random.choice(
        (identity.last, f"{identity.first} {identity.last}", *identity.values, " ".join(identity.values))
    )
    try:
        raw = sample.raw if known else places[WORDS](sample.raw, identity.sentence, random)
        raw = places[place](raw, ENCODINGS.get(encoding, str)(told), random)
    except Exception:  # of the libraries of formats: the sample has no such place
        return None
    name = Path(sample.name).name
    if sample.format in ("text", "csv", "html", "json") and random.random() < 0.2:
        raw, encoding = text_of(raw).encode("utf-16"), f"{encoding}, UTF-16"
    if random.random() < 0.15:
        raw, name, container = _within(raw, name, random)
        place = f"{place}, {container}"
    return Hostile(sample, identity, place, encoding, known, raw, name) if found_in(raw, identity.values) else None


def _within(raw: bytes, name: str, random: Random) -> tuple[bytes, str, str]:
    """Return a file within another one, its name and its kind."""
    data = base64.b64encode(raw).decode()
    kind = random.choice(("in ZIP", "in ZIP in ZIP", "in a mail", "in FHIR", "in HL7"))
    if kind.startswith("in ZIP"):
        inner = zipped({name: raw, "z.txt": b"Vue hier au CHU."})
        return (inner if kind == "in ZIP" else zipped({"a.zip": inner})), "a.zip", kind
    if kind == "in a mail":
        message = EmailMessage(policy=SMTP)
        message["From"], message["To"], message["Subject"] = "a@chu.fr", "b@chu.fr", "Courrier"
        message.set_content("Vue hier au CHU.")
        message.add_attachment(raw, maintype="application", subtype="octet-stream", filename=name)
        return message.as_bytes(), "a.eml", kind
    if kind == "in FHIR":
        content = [{"attachment": {"data": data}}]
        report = {"resourceType": "DocumentReference", "description": "Vue hier au CHU.", "content": content}
        return json.dumps(report).encode(), "a.json", kind
    head = "MSH|^~\\&|A|B|C|D|20240302||MDM^T02|M1|P|2.5\rOBX|1|TX|1^CR^L||Vue hier au CHU.||||||F\r"
    return f"{head}OBX|2|ED|2^D^L||^AP^^Base64^{data}||||||F\r".encode(), "a.hl7", kind


def hostile_files(samples: Sequence[Sample], count: int, random: Random) -> list[Hostile]:
    """Return hostile files, of each format as many."""
    kinds = sorted({one.format for one in samples})
    made: list[Hostile] = []
    while len(made) < count:
        kind = kinds[len(made) % len(kinds)]
        sample = random.choice([one for one in samples if one.format == kind])
        if (hostile := plant(sample, random, known=len(made) // len(kinds) % 2 == 0)) is not None:
            made.append(hostile)
    return made


# ---- The product, and its judge


class Product:
    """Files through the flow of `nocturne file`, under the policy `rules`."""

    def __init__(self) -> None:
        policy, tables = load_policy(DEFAULT.with_name("rules.yaml")), packaged_tables()
        self._run = partial(
            deidentify,
            detector=Detector(policy),
            substitutor=Substitutor(policy, bytes(range(32)), tables.communes, tables.names),
            max_bytes=10**7,
            quality=policy.quality,
            hiding=policy.substitution.hiding,
            limits=Limits(seconds=60),
            rules=FileRules(),
        )

    def write(self, files: Iterable[tuple[str, bytes, Patient]]) -> list[bytes | str]:
        """Return the written bytes of files (name, content, patient), or the reason why one is held back."""
        incoming = [
            Incoming(Document(f"file-{number}", "", patient), format=name, content=raw)
            for number, (name, raw, patient) in enumerate(files)
        ]
        return [_written(one) for item in incoming for one in self._run([item])]


def _written(outcome: Deidentified | Refused) -> bytes | str:
    if isinstance(outcome, Refused):
        return f"{outcome.reasons[0]}: {outcome.detail}".removesuffix(": ")
    file = outcome.candidate.file
    return file.content if file is not None else "no file"


def judge(files: Sequence[Hostile], product: Product) -> list[Judged]:
    """Pass hostile files through the product, and search what it writes."""
    written = product.write((one.name, one.raw, one.patient) for one in files)
    return [
        Judged(one, written=False, reason=content)
        if isinstance(content, str)
        else Judged(one, written=True, found=found_in(content, one.identity.values))
        for one, content in zip(files, written, strict=True)
    ]


# ---- The page


def page(
    judged: Sequence[Judged], samples: Sequence[Sample], held: Sequence[tuple[Sample, str]], arguments: str
) -> str:
    """Return the page of what became of hostile files, and of the samples."""
    reasons = Counter(one.reason.partition(" (")[0].partition(", line")[0] for one in judged if not one.written)
    sources = Counter((one.source, one.format) for one in samples)
    without = defaultdict(list)
    for sample, reason in held:
        without[sample.source].append(f"{sample.format}: {reason}")
    rows = [
        [
            source,
            ", ".join(f"{name} {count}" for (other, name), count in sorted(sources.items()) if other == source),
            "; ".join(f"{reason} ({count})" for reason, count in Counter(without[source]).most_common()) or "none",
        ]
        for source in dict.fromkeys([*(one.source for one in samples), *without])
    ]
    return _PAGE.format(
        arguments=arguments,
        count=len(judged),
        leaks=sum(bool(one.found) for one in judged),
        clean=sum(one.written and not one.found for one in judged),
        refused=reasons.total(),
        formats=_by("format", judged, lambda one: one.hostile.sample.format),
        places=_by("place", judged, lambda one: one.hostile.place.partition(",")[0]),
        reasons=markdown(["reason", "files"], [[name, str(count)] for name, count in reasons.most_common()]),
        samples=markdown(["from", "samples", "held back as they are"], rows),
    )


def _by(what: str, judged: Sequence[Judged], key: Callable[[Judged], str]) -> str:
    """Return the table of outcomes by what a key gives of each."""
    rows = []
    for name in sorted({key(one) for one in judged}):
        own = [one for one in judged if key(one) == name]
        written = sum(one.written for one in own)
        rows.append([name, *map(str, (len(own), written, len(own) - written, sum(bool(one.found) for one in own)))])
    return markdown([what, "files", "written", "held back", "leaks"], rows)


def main(arguments: list[str] | None = None) -> int:
    """Print the page, or write it; return 1 if a file leaks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=Path, nargs="+", default=[], metavar="FOLDER")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--files", type=int, default=FILES)
    parser.add_argument("--each", action="store_true", help="list the files that leak or are held back")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    given = parser.parse_args(arguments)
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    random, product = Random(given.seed), Product()  # noqa: S311  (a measurement, no secret)
    samples = built_in() + [one for folder in given.samples for one in samples_of(folder, random)]
    outcomes = product.write((Path(one.name).name, one.raw, Patient(key="sample")) for one in samples)
    held = [(one, outcome) for one, outcome in zip(samples, outcomes, strict=True) if isinstance(outcome, str)]
    sound = [one for one, outcome in zip(samples, outcomes, strict=True) if isinstance(outcome, bytes)]
    judged = judge(hostile_files(sound, given.files, random), product)
    text = page(judged, sound, held, f" --seed {given.seed}" + " --samples …" * bool(given.samples))
    if given.write:
        PAGE.write_text(text, "utf-8")
    print(text)
    for one in judged if given.each else ():
        if one.found or not one.written:
            told = f"LEAK {sorted(one.found)}" if one.found else one.reason
            here = one.hostile
            print(
                f"- {here.sample.format} {here.sample.name} ({here.place}; {here.encoding}; known {here.known}): {told}"
            )
    if given.each:
        for sample, reason in held:
            print(f"- sample {sample.source} {sample.name}: {reason}")
    return int(any(one.found for one in judged))


if __name__ == "__main__":
    sys.exit(main())

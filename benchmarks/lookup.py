"""Cost of the lookup against an automaton, on the shipped tables and on a table of country size; effect on the scores;
cost of opening the tables of substitution against reading them row by row.

    python benchmarks/lookup.py

Writes benchmarks/lookup.md. Each line is a process of its own. The country is 36,000 communes, 1,000,000 streets,
300,000 lieux-dits and 500,000 professionals (two orders of each name), made up of real words, usual ones among them;
the text is corpus/train, dev and traps, the scores are of corpus/dev.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from pathlib import Path

from ahocorasick_rs import AhoCorasick

from deid.detection.lookup import Kind, LookupTable, Row, build_lookup, folded_spellings, packaged_spellings
from deid.detection.lookup.entries import WORDS
from deid.french.folding import fold, spaced
from deid.reference.packaged import packaged_rows

HERE = Path(__file__).parent
Scan = Callable[[str], Sequence[tuple[int, int, object]]]
POLICIES = ("rules", "balanced")
KINDS = ("rue", "avenue", "place", "impasse", "chemin", "allée", "route", "quai", "boulevard", "sentier")
LOCALITIES = ("Le", "La", "Les", "Chez", "Le Moulin de", "La Croix", "Le Mas", "La Grange", "Combe", "Puy", "Grand", "")
COLUMNS = ("names", "how", "load s", "peak memory MiB", "s per million characters", "hits")


def country() -> Iterator[Row]:
    """Names as a hospital's releases of the whole country would give."""
    chance = random.Random(5)  # noqa: S311 - made-up names
    surnames = [row["name"].title() for row in packaged_rows("surnames")]
    first_names = [row["name"].title() for row in packaged_rows("first_names")]
    for number in range(36_000):
        yield (
            Kind.COMMUNE,
            f"{chance.choice(surnames)}-{chance.choice(('sur', 'en', 'les'))}-{chance.choice(surnames)}",
            number,
        )
    for _ in range(1_000_000):
        words = [chance.choice(KINDS), "de", chance.choice(first_names), chance.choice(surnames)]
        yield Kind.STREET, " ".join(words), 0
    nouns = [row["word"].title() for row in packaged_rows("words") if "NOM" in row["parts"] and len(row["word"]) > 3]
    for _ in range(300_000):
        name = chance.choice(nouns) if chance.random() < 0.5 else chance.choice(surnames)
        yield Kind.LOCALITY, f"{chance.choice(LOCALITIES)} {name}".strip(), 0
    for _ in range(500_000):
        first, last = chance.choice(first_names), chance.choice(surnames)
        yield Kind.PROFESSIONAL, f"{first} {last}", 0
        yield Kind.PROFESSIONAL, f"{last} {first}", 0


def texts() -> list[str]:
    """The documents of the corpus, as detection scans them."""
    folders = (HERE.parent / "corpus" / name for name in ("train", "dev", "traps"))
    paths = (path for folder in folders for path in sorted(folder.rglob("*.txt")))
    return [spaced(fold(path.read_text(encoding="utf-8", errors="replace"))) for path in paths]


def measure(how: str, where: Path) -> dict[str, float]:
    """Load one table (`how`: "automaton" or "lookup") and scan the corpus, in this process."""
    documents = texts()
    began = time.perf_counter()
    scan: Scan
    if how == "lookup":
        scan = LookupTable(where.with_suffix(".lookup")).scan
    else:
        names = where.with_suffix(".txt").read_text(encoding="utf-8").split("\n")
        automaton = AhoCorasick([f" {name} " for name in names])
        del names

        def scan_names(text: str) -> list[tuple[int, int, int]]:
            found: list[tuple[int, int, int]] = automaton.find_matches_as_indexes(f" {text} ", overlapping=True)
            return found

        scan = scan_names

    loaded = time.perf_counter() - began
    hits = sum(len({(start, end) for start, end, *_ in map(_span, scan(text))}) for text in documents)
    memory = peak()
    best = min(_timed(scan, documents) for _ in range(3))
    return {"load": loaded, "memory": memory, "speed": best / sum(map(len, documents)) * 1e6, "hits": hits}


def _span(found: tuple[int, int, object]) -> tuple[int, int]:
    # The automaton gives (pattern, start, end + 2), the lookup (start, end, entry).
    return found[:2] if not isinstance(found[2], int) else (found[1], found[2] - 2)


def _timed(scan: Scan, documents: list[str]) -> float:
    began = time.process_time()
    for text in documents:
        scan(text)
    return time.process_time() - began


def peak() -> float:
    """Peak resident memory of this process, in MiB."""
    # Not getrusage: a child inherits its parent's peak there.
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


def make(where: Path) -> dict[str, float]:
    """Write both forms of a table beside each other, in this process."""
    spellings = list(
        chain(packaged_spellings(), folded_spellings(country())) if where.name == "a-country" else packaged_spellings()
    )
    began = time.perf_counter()
    content = build_lookup(spellings)
    took = time.perf_counter() - began
    where.with_suffix(".lookup").write_bytes(content)
    names = {name for kind, name, _, _ in spellings if kind not in WORDS}
    where.with_suffix(".txt").write_text("\n".join(sorted(names)), encoding="utf-8")
    return {"names": len(names), "mib": len(content) / 2**20, "seconds": took}


def scores(policy: str, where: Path) -> dict[str, float]:
    """Micro F1 of a policy that ships on corpus/dev, identity known, with one lookup, in this process."""
    from deid.config.policy import DEFAULT
    from deid.config.policy import load as load_policy
    from deid.detection import Detector
    from deid.detection.lookup.lexicon import use_lookup
    from nocturne_lab.evaluation.corpus import load_corpus, load_staff
    from nocturne_lab.evaluation.scoring import Judged, evaluate

    use_lookup(LookupTable(where.with_suffix(".lookup")))
    folder = HERE.parent / "corpus" / "dev"
    gold = load_corpus(folder)
    found = Detector(load_policy(DEFAULT.with_name(f"{policy}.yaml")), load_staff(folder)).detect(
        [g.document for g in gold]
    )
    pairs = zip(gold, found, strict=True)
    whole = evaluate([Judged(one.document.id, one.document.text, one.mentions, mine) for one, mine in pairs])
    return {way: whole.schemes["nocturne"].micro(way).f1 or 0.0 for way in ("exact", "overlap")}


def first_document(how: str) -> dict[str, float]:
    """Open the tables of substitution ("rows" or "file") and replace the mentions of one document, in this process."""
    from deid.config.policy import load as load_policy
    from deid.reference.names import NameTables
    from deid.reference.packaged import packaged_communes
    from deid.reference.tables import packaged_tables
    from deid.substitution import Substitutor
    from nocturne_lab.evaluation.corpus import load_corpus

    gold = max(load_corpus(HERE.parent / "corpus" / "dev"), key=lambda one: len(one.mentions))
    policy, before, began = load_policy(None), peak(), time.process_time()
    if how == "rows":
        communes, names = (
            packaged_communes(),
            NameTables.from_rows(packaged_rows("surnames"), packaged_rows("first_names")),
        )
    else:
        communes, names = packaged_tables().communes, packaged_tables().names
    Substitutor(policy, b"benchmark of tables".ljust(32), communes, names).substitute(gold.document, gold.mentions)
    return {"seconds": time.process_time() - began, "memory": peak() - before}


def _child(how: str, where: Path) -> dict[str, float]:
    # Tables are made in a child too: where a process starts from a large one, its peak may count that one's.
    done = subprocess.run([sys.executable, __file__, how, str(where)], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def main() -> None:
    if len(sys.argv) == 3:
        how, where = sys.argv[1], Path(sys.argv[2])
        if how in POLICIES:
            print(json.dumps(scores(how, where)))
        elif how in ("rows", "file"):
            print(json.dumps(first_document(how)))
        else:
            print(json.dumps(make(where) if how == "make" else measure(how, where)))
        return
    lines, notes, f1 = [], [], []
    with tempfile.TemporaryDirectory() as folder:
        for title in ("what ships", "a country"):
            where = Path(folder) / title.replace(" ", "-")
            made = _child("make", where)
            notes.append(
                f"{title}: {made['names']:,} names, a file of {made['mib']:.1f} MiB, built in {made['seconds']:.1f} s"
            )
            for how in ("automaton", "lookup"):
                found = _child(how, where)
                numbers = f"{found['load']:.3f}", f"{found['memory']:.0f}", f"{found['speed']:.3f}", str(found["hits"])
                lines.append("| " + " | ".join((title, how, *numbers)) + " |")
                print(lines[-1], flush=True)
            for policy in POLICIES:
                got = _child(policy, where)
                f1.append(f"| {policy} | {title} | {100 * got['exact']:.2f} | {100 * got['overlap']:.2f} |")
                print(f1[-1], flush=True)
        opened = {how: _child(how, Path(folder)) for how in ("rows", "file")}
    table = "\n".join(["| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS), *lines])
    page = HERE / "lookup.md"
    listed = "\n".join(f"- {note}" for note in notes)
    costs = "\n".join(f"| {how} | {one['seconds']:.2f} | {one['memory']:.0f} |" for how, one in opened.items())
    page.write_text("\n".join([_HEAD + table, "", listed, _SCORES, *sorted(f1), _TABLES + costs, ""]), encoding="utf-8")


_HEAD = """# Lookup of names

`python benchmarks/lookup.py` wrote this; its first lines say what a country is. Load and memory (peak resident memory
of the process, interpreter and texts included) are of opening one table and scanning 2.95 million characters; mapped
pages count here and are shared among processes. Time is of the processor, best of three; load and building are by the
clock, on a machine that others used heavily. The automaton starts from names already folded and told apart, which took
another two seconds at each start, and leaves out the entries behind its hits; it cannot be written down. Births by word
are in the lookup only.

"""

_SCORES = """
## Scores with a country of names

Micro F1 on `corpus/dev` in percent, identity known.

| policy | names | exact | overlap |
|---|---|---|---|"""

_TABLES = """
## Tables of substitution

What opening them and substituting in one document takes, in seconds of the processor, and MiB added to the peak of the
process (mapped pages count), from rows and from the file (`deid/reference/tables.py`).

| how | s | MiB |
|---|---|---|
"""


if __name__ == "__main__":
    main()

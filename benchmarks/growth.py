"""Growth of time and memory with the length of one document, over families of repeated text.

    python -m benchmarks.growth [FAMILY …] [--length CHARACTERS]

The whole flow runs under the default policy: open, detect, substitute, rewrite, check. Each family is measured at
CHARACTERS (default 20,000) and at four times as many. The exponent is log(t₂ / t₁) / log 4, of processor time less that
of a document of one sentence: 1 is linear, 2 quadratic. Memory is what the longer document adds at its peak.
The table is written to standard output, in Markdown.
"""

from __future__ import annotations

import argparse
import gc
import math
import random
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property, partial
from pathlib import Path

from deid import pipeline
from deid.config import policy
from deid.detection import Detector
from deid.domain.document import Document, Patient
from deid.domain.limits import Limits
from deid.domain.outcomes import Candidate, Detected, Incoming, Opened, Refused
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor

FACTOR = 4
FLOOR = 0.05  # processor seconds below which a cost is noise
LENGTH = 20_000
# A fixed cost, and a mention to replace whatever follows.
LEAD = "Madame Maëlys VASSEROT, née le 14/05/1961, a été vue par le docteur Yann Tréguier.\n"
PATIENT = Patient(key="p1", last_name="VASSEROT", first_names=("Maëlys",), sex="F", birth_date=date(1961, 5, 14))
UNLIMITED = Limits(seconds=1e6, megabytes=1 << 30, portion=1 << 40)
REPEATED: Mapping[str, str] = {
    "letters": "a",
    "capitals": "A",
    "accented capitals": "É",
    "letters and capitals": "aB",
    "digits": "7",
    "digits and blanks": "0 ",
    "letters and digits": "a1",
    "scanned digits": "0O1l",
    "line breaks": "\n",
    "lines of Windows": "\r\n",
    "lines of one letter": "a\n",
    "spaces": " ",
    "tabs": "\t",
    "no-break spaces": "\u00a0",
    "hyphens": "-",
    "letters and hyphens": "A-",
    "dots": ".",
    "numbers and dots": "1.",
    "initials": "J. ",
    "dotted initials": "J.",
    "commas": ",",
    "slashes": "12/",
    "apostrophes": "d'",
    "brackets": "(",
    "quotes": "« ",
    "colons": "a : ",
    "underscores": "_",
    "bars": "| ",
    "titles": "Dr ",
    "civilities": "Monsieur ",
    "particles": "de la ",
    "kinship": "son épouse ",
    "births": "né le ",
    "common capitalised words": "Le ",
    "names": "Kerbrat ",
    "names in capitals": "KERBRAT ",
    "titled names": "Dr Kerbrat ",
    "full names": "Jean Kerbrat, ",
    "lists of names": "Dr Vraz, Morel, ",
    "names without blanks": "filleAnne",
    "names in lower case": "dr kerbrat et ",
    "at signs": "a@",
    "e-mails": "jean.kerbrat@chu-brest.fr ",
    "e-mails without blanks": "a@b.fr,",
    "addresses of pages": "https://www.chu-brest.fr/a?b=c ",
    "hosts": "a.fr/",
    "dates": "12/03/2020 ",
    "dates without blanks": "12/03/2020",
    "dates in words": "le 12 mars 2020, ",
    "hours": "12h30 ",
    "ages": "72 ans ",
    "numbers in words": "vingt ",
    "numbers in words, joined": "quatre-vingt-",
    "phones": "02 98 22 33 33 ",
    "social security numbers": "1 61 05 29 019 042 37 ",
    "triggers": "dossier n° ",
    "addresses": "12 rue de Siam 29200 Brest\n",
    "streets": "rue de ",
    "postal codes": "29200 Brest ",
    "emoji": "🙂",
    "accents": "\u0301",
    "invisible signs": "\u200b",
    "prose": "Vu le 12/03/2020 par le Dr Kerbrat à Brest pour M. Vraz, 72 ans.\n",
}


def _nested(length: int) -> str:
    depth = length // 11
    return f"<html><body>{LEAD}{'<div>' * depth}{'</div>' * depth}</body></html>"


def _page(unit: str, inside: str = "{}") -> Callable[[int], str]:
    return lambda length: f"<html><body>{LEAD}{inside.format(_filled(unit, length))}</body></html>"


def _filled(unit: str, length: int) -> str:
    return unit * max(length // len(unit), 1)


def _names(length: int) -> str:
    """Return different names, from a seed: what is kept by word grows with the text."""
    draw = random.Random(7)  # noqa: S311
    words, size = [], 0
    while size < length:
        words.append(f"{draw.choice(('Dr', 'Mme', 'M.', 'Jean'))} {_word(draw, 2).capitalize()}")
        size += len(words[-1]) + 2
    return LEAD + ", ".join(words)[:length]


def _word(draw: random.Random, least: int) -> str:
    syllables = range(draw.randint(least, 4))
    return "".join(draw.choice("bcdfglmnprst") + draw.choice("aeiou") for _ in syllables)


def _doctors(length: int) -> str:
    """Return lines of different doctors with addresses: by name, by initial, misspelt and of somebody else."""
    draw = random.Random(7)  # noqa: S311
    lines, size = [], 0
    while size < length:
        name, first = _word(draw, 3), draw.choice(("jean", "anne", "luc"))
        login = draw.choice((f"{first}.{name}", f"{first[0]}.{name}", f"{name}{name[-1]}", _word(draw, 3)))
        lines.append(f"Dr {first.capitalize()} {name.capitalize()} : {login}@chu-brest.fr")
        size += len(lines[-1]) + 1
    return LEAD + "\n".join(lines)[:length]


def _dates(length: int) -> str:
    """Return days one after the other: each is a value of its own."""
    first = date(1990, 1, 1).toordinal()
    days = (date.fromordinal(first + at).strftime("%d/%m/%Y") for at in range(length // 12 + 1))
    return LEAD + ", ".join(days)[:length]


def _repeated(unit: str, length: int) -> str:
    return LEAD + _filled(unit, length)


TEXTS: Mapping[str, Callable[[int], str]] = {
    **{name: partial(_repeated, unit) for name, unit in REPEATED.items()},
    "different names": _names,
    "doctors with e-mails": _doctors,
    "different dates": _dates,
}
PAGES: Mapping[str, Callable[[int], str]] = {
    "HTML: nesting": _nested,
    "HTML: elements left open": _page("<b>"),
    "HTML: elements closed too often": _page("</b>"),
    "HTML: lists": _page("<li>a"),
    "HTML: line ends": _page("<br>"),
    "HTML: letters in elements": _page("<b>a</b>"),
    "HTML: cells": _page("<td>a</td>", "<table><tr>{}</tr></table>"),
    "HTML: tables": lambda length: _page("<table><tr><td>a", "{}" + "</td></tr></table>" * (length // 32))(length // 2),
    "HTML: attributes": _page(' a="1"', "<p{}>a</p>"),
    "HTML: long attribute": _page("a", '<p class="{}">a</p>'),
    "HTML: entities": _page("&eacute;"),
    "HTML: numeric entities": _page("&#233;"),
    "HTML: ampersands": _page("&"),
    "HTML: angle brackets": _page("<"),
    "HTML: open comments": _page("<!--"),
    "HTML: comments": _page("<!-- a -->"),
    "HTML: open tags": _page("<p "),
    "HTML: spaces": _page(" "),
    "HTML: preformatted line ends": _page("\n", "<pre>{}</pre>"),
    "HTML: invisible signs": _page("\u200b"),
    "HTML: prose": _page("<p>Vu le 12/03/2020 par le Dr Kerbrat à Brest.</p>\n"),
}
FAMILIES = (*TEXTS, *PAGES)
STAGES = ("open", "detect", "substitute", "check")


@dataclass(frozen=True, slots=True)
class Cost:
    """Processor seconds by stage, and bytes of memory that the document added at its peak."""

    seconds: Mapping[str, float]
    memory: int

    @property
    def total(self) -> float:
        """Processor seconds of the whole flow."""
        return sum(self.seconds.values())


@dataclass(frozen=True, slots=True)
class Growth:
    """Costs of a family at one length and at `FACTOR` times that, each less the cost of a sentence."""

    name: str
    length: int
    short: Cost
    long: Cost
    fixed: Cost

    @property
    def exponent(self) -> float:
        """Exponent of processor time."""
        short, long = (max(cost.total - self.fixed.total, FLOOR) for cost in (self.short, self.long))
        return math.log(long / short) / math.log(FACTOR)

    @property
    def speed(self) -> float:
        """Characters per processor second, at the greater length."""
        return FACTOR * self.length / max(self.long.total, 1e-6)

    @property
    def slowest(self) -> str:
        """Stage that takes longest at the greater length."""
        return max(STAGES, key=lambda stage: self.long.seconds.get(stage, 0.0))


def _check(candidate: Candidate) -> object:
    return pipeline.check([candidate], limits=UNLIMITED)[0]


class Flow:
    """The flow of one document, stage by stage, with nothing that stops it."""

    def __init__(self, detector: Detector, substitutor: Substitutor, check: Callable[[Candidate], object]) -> None:
        self._detector, self._substitutor, self._check = detector, substitutor, check

    def cost(self, name: str, length: int) -> Cost:
        """Return the cost of a document of a family; a document refused at a stage costs nothing after it."""
        page = name in PAGES
        content = (PAGES if page else TEXTS)[name](length).encode()
        document = Document("d", "", PATIENT, date(2026, 3, 2), "Lettre")
        return self._measured(Incoming(document, "text/html" if page else "text/plain", content))

    @cached_property
    def fixed(self) -> Cost:
        """Least cost of one sentence; what the first use loads is kept out of the collections that follow."""
        self._sentence()
        gc.freeze()
        return _least(self._sentence() for _ in range(3))

    def _sentence(self) -> Cost:
        return self._measured(Incoming(Document("d", "", PATIENT, date(2026, 3, 2)), "text/plain", LEAD.encode()))

    def growth(self, name: str, length: int, repeats: int = 2) -> Growth:
        """Return the costs of a family at `length` and `FACTOR` times that, each the least of `repeats`."""
        fixed = self.fixed
        short = _least(self.cost(name, length) for _ in range(repeats))
        long = _least(self.cost(name, FACTOR * length) for _ in range(repeats))
        return Growth(name, length, short, long, fixed)

    def _measured(self, item: Incoming) -> Cost:
        seconds: dict[str, float] = {}
        Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak of memory counts from now
        before = _memory("VmRSS")
        gc.collect()
        gc.disable()  # a collection of the whole heap falls into one stage or another, by chance
        outcome: object = item
        for stage in STAGES:
            started = time.process_time()
            outcome = self._next(outcome)
            seconds[stage] = time.process_time() - started
            if isinstance(outcome, Refused):
                break
        gc.enable()
        return Cost(seconds, _memory("VmHWM") - before)

    def _next(self, given: object) -> object:
        """Return what the stage that takes an outcome makes of it."""
        if isinstance(given, Incoming):
            return pipeline.open_documents([given], max_bytes=1 << 40, limits=UNLIMITED)[0]
        if isinstance(given, Opened):
            self._detector.refusal(given.document)
            return pipeline.detect([given], self._detector, admitted={"d"}, limits=UNLIMITED)[0]
        if isinstance(given, Detected):
            return pipeline.substitute([given], self._substitutor, limits=UNLIMITED)[0]
        return self._check(given) if isinstance(given, Candidate) else given


def make_flow(chosen: policy.Policy, check: Callable[[Candidate], object] = _check) -> Flow:
    """Return the flow of a policy without its bound on ε per document, on the tables that ship."""
    tables = packaged_tables()
    chosen_substitution = chosen.substitution.model_copy(update={"max_epsilon_per_document": 1e9})
    unbounded = chosen.model_copy(update={"substitution": chosen_substitution})
    return Flow(Detector(chosen), Substitutor(unbounded, bytes(range(32)), tables.communes, tables.names), check)


def _least(costs: Iterator[Cost]) -> Cost:
    return min(costs, key=lambda cost: cost.total)


def _memory(field: str) -> int:
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise KeyError(field)


def main() -> None:
    """Measure the families and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", metavar="FAMILY", help="all, if none is given")
    parser.add_argument("--length", type=int, default=LENGTH)
    given = parser.parse_args()
    flow = make_flow(policy.load())
    print("| Family | exponent | characters/s | slowest stage | MiB |\n|---|---|---|---|---|")
    for name in given.families or FAMILIES:
        found = flow.growth(name, given.length)
        memory = f"{found.long.memory / 2**20:.0f}"
        print(
            f"| {name} | {found.exponent:.2f} | {found.speed:,.0f} | {found.slowest} | {memory} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

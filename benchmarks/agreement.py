"""Do the written forms of people agree after substitution: writes benchmarks/agreement.md.

python -m benchmarks.agreement [--documents N] [--patients N] [--write]

Mentions are the true ones, so that detection plays no role. What agrees is read by `deid.quality.people`, which shares
no code with drawing.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from deid.config.policy import load as load_policy
from deid.domain.document import Document, Mention, Surrogate
from deid.domain.labels import Label
from deid.quality.people import Form, forms, judge_initials, most_drawn
from deid.reference.tables import packaged_tables
from deid.substitution import Substitutor
from demo.population import population
from nocturne_lab.evaluation.corpus import load_corpus

Pairs = Sequence[tuple[Document, Sequence[Surrogate]]]
_TARGET = Path(__file__).with_name("agreement.md")
_HEAD = (
    "documents", "patients", "forms that agree", "initials in groups that agree", "patients with one first name",
    "of the warehouse's sex", "pairs of words that became one",
)  # fmt: skip


class Agreement(NamedTuple):
    """Numbers of written forms and of initials, and of those that disagree with the person's other forms."""

    forms: int
    forms_apart: int
    initials: int
    initials_apart: int
    shared: int  # pairs of different words that became one


def main() -> None:
    """Print the table, or write it."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--documents", type=int, default=200, help="of the training corpus, evenly taken")
    arguments.add_argument("--patients", type=int, default=60, help="of the synthetic hospital")
    arguments.add_argument("--write", action="store_true", help="write benchmarks/agreement.md")
    chosen = arguments.parse_args()
    corpus = load_corpus(Path("corpus/train"))
    some = corpus[:: max(1, len(corpus) // chosen.documents)][: chosen.documents]
    sources = {
        "corpus/train": [(gold.document, gold.mentions) for gold in some],
        "synthetic hospital": [(one.document, one.mentions) for one in population(chosen.patients).records],
    }
    text = _page(sources, chosen.documents, chosen.patients)
    if chosen.write:
        _TARGET.write_text(text, encoding="utf-8")
    else:
        print(text)


def _page(sources: Mapping[str, Sequence[tuple[Document, Sequence[Mention]]]], documents: int, patients: int) -> str:
    lines = [f"| source | {' | '.join(_HEAD)} |", "|---" + "|---:" * len(_HEAD) + "|"]
    substitutor = Substitutor(load_policy(), bytes(range(32)), packaged_tables().communes)
    for name, found in sources.items():
        by_patient: dict[str, list[tuple[Document, Sequence[Surrogate]]]] = defaultdict(list)
        for document, mentions in found:
            drawn = substitutor.substitute(document, mentions).surrogates
            by_patient[document.patient.key or document.id].append((document, drawn))
        lines.append(f"| {name} | {' | '.join(_row(len(found), list(by_patient.values())))} |")
    return f"""# Agreement of people's names

{chr(10).join(lines)}

Written by `python -m benchmarks.agreement --documents {documents} --patients {patients} --write`. A form agrees where
its word has the surrogate that most forms of the word have in the patient's documents, a patient's names counted apart
from a professional's; initials in groups, where somebody named in full in the document has them before and after. First
names and sex are those of patients whom the warehouse names, in the mentions of the patient. Words that became one are
misspellings of one name, or rare names that met.
"""


def agreement(pairs: Iterable[tuple[Document, Sequence[Surrogate]]]) -> Agreement:
    """Return the agreement of forms over documents of one patient."""
    every: list[Form] = []
    told: list[bool] = []
    for document, surrogates in pairs:
        every += forms(document, surrogates)
        told += (agrees for agrees in judge_initials(document, surrogates) if agrees is not None)
    most = most_drawn(every)
    apart = sum(one.drawn != most[one.own, one.word] for one in every)
    shared = sum(count * (count - 1) // 2 for count in Counter(most.values()).values())
    return Agreement(len(every), apart, len(told), told.count(False), shared)


def _row(documents: int, by_patient: Sequence[Pairs]) -> Sequence[str]:
    sums = [sum(column) for column in zip(*(agreement(pairs) for pairs in by_patient), strict=True)]
    total, apart, initials, wrong, shared = sums
    known = [names for pairs in by_patient if (names := _called(pairs))]
    one = sum(all(len(drawn) == 1 for drawn in names.values()) for names in known)
    sexed = [(pairs, names) for pairs in by_patient if (names := _called(pairs)) and pairs[0][0].patient.sex]
    right = sum(_is_of_sex(pairs[0][0].patient.sex, names.values()) for pairs, names in sexed)
    return [
        str(documents),
        str(len(by_patient)),
        _share(total - apart, total),
        _share(initials - wrong, initials),
        _share(one, len(known)),
        _share(right, len(sexed)),
        str(shared),
    ]


def _called(pairs: Pairs) -> Mapping[str, set[str]]:
    """Surrogates of each of the patient's first names."""
    found: dict[str, set[str]] = defaultdict(set)
    for document, surrogates in pairs:
        firsts = {part for name in document.patient.first_names for part in _parts(name)}
        surnames = {part for name in (document.patient.last_name, document.patient.birth_name) for part in _parts(name)}
        own = [one for one in surrogates if one.mention.label is Label.PATIENT]
        for form in forms(document, own):
            if form.word in firsts - surnames:
                found[form.word].add(form.drawn)
    return found


def _parts(name: str | None) -> Sequence[str]:
    return (name or "").casefold().replace("-", " ").split()


def _is_of_sex(sex: str | None, drawn: Iterable[set[str]]) -> bool:
    names = packaged_tables().names
    return all(names.sex_of(name) in (sex, None) for several in drawn for name in several)


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.2%} of {whole:,}" if whole else "–"


if __name__ == "__main__":
    main()

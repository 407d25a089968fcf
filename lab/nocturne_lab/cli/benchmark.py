"""`benchmark`: a public corpus on the whole way, as one page of figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

from deid.cli import lines
from deid.cli.console import REFUSED, command_group, read_settings, served_policy
from deid.cli.documents import BATCH, PolicyFile
from deid.cli.language import colon, language, tell, translated
from deid.domain.document import Document, Mention
from deid.domain.errors import InputRefused
from nocturne_lab.cli.annotation import SCHEME_OF, read_annotated
from nocturne_lab.cli.coding import ChosenLevel, CodesOf
from nocturne_lab.cli.scoring import Scheme, translated_table

if TYPE_CHECKING:
    from deid.config.policy import Policy
    from nocturne_lab.evaluation.corpus import GoldDocument
    from nocturne_lab.evaluation.scoring import Evaluation
    from nocturne_lab.learning.benchmark import Treated, WholeChain

app = command_group("Measure the whole chain on a public corpus.")
T = TypeVar("T")

Out = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="Page to write; else named after the corpus.", show_default=False),
]
Size = Annotated[
    int | None,
    typer.Option("--size", min=1, help="Most documents, and most stays, drawn at random.", show_default=False),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of draws and surrogates; the same gives the same figures.")]


@app.command("parhaf")
def benchmark_parhaf(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", help="Folder of PARHAF-pseudo-annotated, of PARHAF, or of both.", show_default=False
        ),
    ],
    out: Out = None,
    policy: PolicyFile = None,
    size: Size = None,
    level: Annotated[ChosenLevel, typer.Option("--level", help="One level of ICD-10.")] = "category",
    codes_of: Annotated[
        CodesOf, typer.Option("--codes", help="Column of diagnoses: the case as written, or the scenario given.")
    ] = "structured_abstract",
    seed: Seed = 2026,
) -> None:
    """Measure detection, surrogates, a reading sample and the coding of stays on PARHAF: one page of figures.

    Annotated reports are judged by their annotations, stays by their diagnoses. Nothing is downloaded or sent, no model
    learns from an annotation, and the page holds no text: embargoed reports may be judged where they are. What cannot
    be read is named; the exit status is then 1. See docs/evaluation.md.
    """
    from nocturne_lab.learning.benchmark import datasets_of, documents_of
    from nocturne_lab.learning.exchange.parhaf import PSEUDO, WHOLE, read_coded_cases

    page = _new_page("PARHAF", out, policy, seed, size)
    annotated, whole = datasets_of(source)
    page.parts.append(
        translated(
            "PARHAF: fictitious French reports by doctors (Tannier et al. 2026, Health Data Hub, CC BY 4.0). Reports "
            "of its test sets are under embargo: who was given them publishes figures only, and sends them nowhere. "
            "No rule or model of Nocturne was made or mended by what it holds."
        )
    )
    gold = [] if annotated is None else page.drawn(read_annotated("parhaf", annotated, page.refusals))
    cases = [] if whole is None else page.drawn({one.id: one for one in read_coded_cases(whole, codes_of)})
    documents = documents_of(cases)
    page.tell_protocol([*(one.document.id for one in gold), *(one.id for own in documents.values() for one in own)])
    if annotated is None:
        page.parts.append(translated(f"Not measured on annotations: the folder holds no dataset {PSEUDO}."))
    else:
        page.tell_annotated(gold, SCHEME_OF["parhaf"])
    if whole is None:
        page.parts.append(translated(f"Not measured on coded stays: the folder holds no dataset {WHOLE}."))
    else:
        page.tell_coding(documents, {case.id: case.codes for case in cases}, level)
    page.write()


@app.command("eds-pseudo")
def eds_pseudo(
    source: Annotated[
        Path,
        typer.Argument(metavar="TEMPLATES", help="File data/templates.txt of aphp/eds-pseudo.", show_default=False),
    ],
    out: Out = None,
    policy: PolicyFile = None,
    size: Size = None,
    seed: Seed = 2026,
) -> None:
    """Measure detection, surrogates and a reading sample on the public templates of eds-pseudo: one page of figures.

    Nothing is downloaded or sent, no model learns from an annotation, and the page holds no text. What cannot be read
    is named; the exit status is then 1. See docs/evaluation.md.
    """
    page = _new_page("eds-pseudo", out, policy, seed, size)
    page.parts.append(
        translated(
            "Public templates of eds-pseudo (AP-HP, github.com/aphp/eds-pseudo, BSD 3-Clause): short invented texts, "
            "without stays and codes. Rules of Nocturne were mended for kinds of faults read in them "
            "(docs/evaluation.md): they are not texts that nobody had seen."
        )
    )
    gold = page.drawn(read_annotated("eds-pseudo", source, page.refusals))
    page.tell_protocol([one.document.id for one in gold])
    page.tell_annotated(gold, SCHEME_OF["eds-pseudo"])
    page.write()


def _new_page(corpus: str, out: Path | None, policy: Path | None, seed: int, size: int | None) -> _Page:
    from nocturne_lab.learning.benchmark import WholeChain

    out = out or Path(f"benchmark-{corpus.lower()}.md")
    if out.exists():
        raise typer.BadParameter(f"{out.name} exists; give a new file", param_hint="--out")
    chosen = served_policy(policy)
    return _Page(
        out, chosen, WholeChain(chosen, seed, read_settings().limits()), seed, size, [f"# Nocturne – {corpus}"]
    )


@dataclass
class _Page:
    """A page of Markdown in the language asked for: what the chain of a policy makes of a corpus, without its text."""

    out: Path
    policy: Policy
    chain: WholeChain
    seed: int
    size: int | None
    parts: list[str]
    refusals: lines.Refusals = field(default_factory=lines.Refusals)

    def drawn(self, found: Mapping[str, T]) -> list[T]:
        """Return all that was read, or the number asked for, drawn at random."""
        from nocturne_lab.learning.exchange.sampling import draw_random

        return [found[one] for one in (found if self.size is None else draw_random(found, self.size, self.seed))]

    def tell_protocol(self, judged: Sequence[str]) -> None:
        """Tell how it is measured, after refusing models that learned from a document that is judged."""
        from deid import __version__
        from deid.nightly.code import code_digest
        from nocturne_lab.learning.benchmark import refuse_learned

        if not judged:
            raise InputRefused("there is nothing to judge.", "Give the folder or file of the corpus.")
        refuse_learned(self.policy, judged)
        rows = [
            [translated("version"), __version__],
            [translated("digest of the code"), code_digest()[:16]],
            [translated("policy"), f"{self.policy.name} ({self.policy.digest})"],
            [translated("detector"), self.chain.detector.version],
            [translated("seed"), str(self.seed)],
            [translated("documents drawn at most"), str(self.size or "–")],
        ]
        self.parts += [
            translated("## Protocol"),
            translated(
                "Detection reads each text alone: no identity of a patient, no staff, no annotation. The command "
                "sets no rule, threshold or weight by what it judges. Models that ship learned from invented documents "
                "of Nocturne; a model of the registry is refused unless the ledger knows that it learned from none of "
                "these documents. Surrogates come from a secret of the seed and are never written. Nothing leaves this "
                "machine, and this page holds ids, classes and figures, no text."
            ),
            translated_table(["what ran", "value"], rows),
        ]

    def treat(self, documents: Sequence[Document]) -> list[Treated]:
        """Return what became of documents, in order."""
        batches = lines.in_batches(lines.progress(documents), BATCH)
        return [one for batch in batches for one in self.chain.treat(batch)]

    def tell_annotated(self, gold: Sequence[GoldDocument], scheme: Scheme) -> None:
        """Tell what annotations say of detection and of published texts."""
        from nocturne_lab.evaluation import scoring
        from nocturne_lab.learning.benchmark import as_judged

        treated = self.treat([one.document for one in gold])
        marked = {one.document.id: one.mentions for one in gold}
        found = scoring.evaluate(as_judged(treated, marked))
        self.parts += [translated("## Detection"), *_detection(found, scheme)]
        self.parts += [translated("## Surrogates"), *_published(treated)]
        self.parts += [translated("## Reading sample"), *self._reading(treated, marked)]

    def _reading(self, treated: Sequence[Treated], marked: Mapping[str, Sequence[Mention]]) -> Iterator[str]:
        from deid.reports.numbers import Writer
        from nocturne_lab.learning.benchmark import LEAKS, read_sample

        review, write = self.policy.release.review, Writer(language())
        target, confidence = write.percent(review.target), write.percent(review.confidence)
        yield translated(
            f"As before a release, published documents are drawn at random and read; the annotations read in the place "
            f"of people. Enough are read that no leak among them would show at most {target} of leaks, at a confidence "
            f"of {confidence}. The last column is what annotations say of all published documents. “Any” counts what "
            "the policy does not seek, too."
        )
        names = {"direct": translated("a direct identifier"), "all": translated("any identifier annotated")}
        rows, leaking = [], list[str]()
        for name, labels in LEAKS.items():
            one = read_sample(treated, marked, review, labels, self.seed)
            if one is None:
                yield translated("No document is published.")
                return
            among = f"{one.low}–{one.high}"
            rows.append([names[name], *map(str, (one.population, one.read, len(one.leaking))), among, str(one.truly)])
            if name == "direct":
                leaking = list(one.leaking)
        heads = ["still there", "published", "read", "leaking", "leaking among all, interval", "truly"]
        yield translated_table(heads, rows)
        if leaking:
            yield translated(f"Documents read that keep a direct identifier: {', '.join(leaking)}.")

    def tell_coding(
        self, documents: Mapping[str, Sequence[Document]], codes: Mapping[str, Sequence[str]], level: ChosenLevel
    ) -> None:
        """Tell what a coder finds in original and in published stays."""
        from nocturne_lab.evaluation.coding import tables
        from nocturne_lab.evaluation.coding.comparison import FEWEST_STAYS, ORIGINAL
        from nocturne_lab.learning.benchmark import PUBLISHED_ARM, arms_of, code_arms

        treated = self.treat([one for own in documents.values() for one in own])
        arms = arms_of(documents, treated, codes)
        stays, given, coded = len(arms[ORIGINAL]), len(codes), len(documents)
        found = code_arms(arms, level)
        self.parts += [
            translated("## Coding of stays"),
            translated(
                f"{given} stays, {coded} with documents and codes of ICD-10, {stays} published whole. A coder that "
                f"learns (TF-IDF, logistic regression) codes each of these at the level “{level}” after learning from "
                "other stays, in five folds that both texts share. Loss: points of micro F1 against original texts; "
                "Jaccard: of the codes found with those found in the original text."
            ),
            *_published(treated),
        ]
        if found is None:
            self.parts.append(translated("Too few stays, or too much alike: no figure of coding."))
            return
        named = {ORIGINAL: translated("original text"), PUBLISHED_ARM: translated("published text")}
        rows = [[named[name], *cells] for name, *cells in tables.compared(found)]
        scores = ["text", "precision", "recall", "micro F1", "loss", "macro precision", "macro recall", "macro F1"]
        alike = ["Jaccard", "same codes"]
        self.parts.append(translated_table([*scores, *(f"P@{k}" for k in tables.KS), *alike], rows))
        if stays < FEWEST_STAYS:
            self.parts.append(translated(f"under {FEWEST_STAYS} stays: the intervals say little"))

    def write(self) -> None:
        """Write the page; the exit status is 1 where annotations could not be read."""
        self.out.write_text("\n\n".join(self.parts) + "\n", encoding="utf-8")
        tell(f"page: {self.out.name}", err=True)
        if self.refusals.count:
            raise typer.Exit(REFUSED)


def _detection(found: Evaluation, scheme: Scheme) -> Iterator[str]:
    """Yield what of the annotated is covered, and the scores of each class."""
    from nocturne_lab.evaluation.score_tables import percent
    from nocturne_lab.evaluation.scoring import ANY

    shares = [found.redaction[which].recall for which in ("all", "direct", "quasi")]
    shares += [found.redaction["all"].precision, *(found.share_fully_redacted(which) for which in ("direct", "all"))]
    heads = ["documents", "characters covered, %", "direct identifiers", "quasi-identifiers", "precision of characters"]
    yield translated_table(
        [*heads, "documents covered, direct", "documents covered"], [[str(found.documents), *map(percent, shares)]]
    )
    scores = found.schemes[scheme]
    tallies = {name: scores.classes[name] for name in scores.named()}
    tallies[translated("**all classes**")] = {way: scores.micro(way) for way in ("exact", "overlap", "token")}
    tallies[translated("whatever the class")] = scores.classes[ANY]
    heads = ["class, %", "annotated", "exact P", "exact R", "exact F1", "overlap R", "overlap F1", "word F1"]
    rows = []
    for name, ways in tallies.items():
        exact, overlap = ways["exact"], ways["overlap"]
        figures = exact.precision, exact.recall, exact.f1, overlap.recall, overlap.f1, ways["token"].f1
        rows.append([name, str(exact.gold), *map(percent, figures)])
    yield translated_table(heads, rows)


def _published(treated: Sequence[Treated]) -> Iterator[str]:
    """Yield what became of documents, and what the published ones keep."""
    from deid.quality.reasons import REASON_WORDS
    from deid.reports.evaluation import shown_measure
    from deid.reports.numbers import Writer
    from deid.reports.wording import WORDING
    from nocturne_lab.evaluation.utility import Pair, measure

    words, write = REASON_WORDS[language()], Writer(language())
    held = Counter(one.refused.reasons[0] for one in treated if one.refused is not None)
    rows = [[translated("published"), str(len(treated) - held.total())]]
    rows += [
        [f"{translated('held back')}{colon()}{words[reason].title}", str(number)]
        for reason, number in held.most_common()
    ]
    yield translated_table(["documents", "number"], rows)
    pairs = [Pair(one.document, one.candidate.substitution) for one in treated if one.candidate is not None]
    measures = ({"measure": f"utility.{one.name}", **asdict(one)} for one in measure(pairs))
    kept = [shown_measure(one, WORDING[language()], write) for one in measures]
    if kept:
        rows = [[str(one["name"]), str(one["value"]), str(one["range"]) or "–", str(one["n"])] for one in kept]
        yield translated_table(["measure", "value", "interval of 95 %", "number"], rows)

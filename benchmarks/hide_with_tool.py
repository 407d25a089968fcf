"""Say which characters of documents a tool hides: a script of `benchmarks.side_by_side`, run where the tool is.

    python -P benchmarks/hide_with_tool.py TOOL DOCUMENTS HIDDEN

A line of DOCUMENTS has `text` and `patient` (`deid.domain.document.Patient.as_json`). HIDDEN gets a line per document,
a list of `[start, end)`, and a last one: `seconds` of processor (start left out) and the `peak` of memory in KiB. An
environment holds one tool: each is imported by name, where it is used.
"""

from __future__ import annotations

import json
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from importlib import import_module
from itertools import islice
from pathlib import Path
from typing import Any

BATCH = 64
FILLER = "\0"
# France and the overseas departments, whose numbers are regions of their own for `phonenumbers`.
REGIONS = ("FR", "GP", "MQ", "GF", "RE", "YT")

Spans = list[tuple[int, int]]
Given = Mapping[str, Any]
Tool = Callable[[Sequence[Given]], Iterable[Spans]]


def runs(hidden: Iterable[bool]) -> Spans:
    """Return the stretches of characters that are hidden."""
    marks = "".join("x" if one else " " for one in hidden)
    return [one.span() for one in re.finditer("x+", marks)]


def hidden_by_masks(length: int, masks: Iterable[Iterable[tuple[int, int, str]]]) -> Spans:
    """Return the characters of a text that no longer stand in it once each mask has replaced its spans in turn.

    Spans of a later mask are places of what the one before wrote. Within a mask the last span is replaced first, and
    spans may overlap: what is done to the text is done to the places of its characters.
    """
    places: list[int | None] = [*range(length)]
    for spans in masks:
        for start, end, written in sorted(spans, key=lambda one: one[0], reverse=True):
            places[start:end] = [None] * len(written)
    left = set(places)
    return runs(at not in left for at in range(length))


def words_of(patient: Given) -> list[str]:
    """Return what the warehouse knows of a patient as words to search: names, birth date, address, numbers."""
    single = [patient.get(name) for name in ("last_name", "birth_name", "zip", "city", "ipp", "nda", "nir")]
    several = [one for name in ("first_names", "addresses", "phones", "emails") for one in patient.get(name, ())]
    born = patient.get("birth_date", "")
    day = f"{date.fromisoformat(born):%d/%m/%Y}" if len(born) == len("1961-05-14") else None
    return [one for one in dict.fromkeys((*single, *several, day)) if one]


def _each(find: Callable[[str, Given], Spans]) -> Tool:
    return lambda given: [find(one["text"], one["patient"]) for one in given]


def nocturne(policy: str) -> Tool:
    """Return the detector of a policy that ships."""
    import_module("torch").set_num_threads(1)
    policies, documents = import_module("deid.config.policy"), import_module("deid.domain.document")
    detector = import_module("deid.detection").Detector(policies.load(policies.DEFAULT.parent / f"{policy}.yaml"))

    def find(given: Sequence[Given]) -> Iterable[Spans]:
        read = [
            documents.Document(str(at), one["text"], documents.Patient.from_json(one["patient"]))
            for at, one in enumerate(given)
        ]
        return [[(one.start, one.end) for one in found] for found in detector.detect(read)]

    return find


def unpii(mode: str) -> Tool:
    """Return unpii in one of its modes, with the patient's words to mask."""
    find_spans = import_module("unpii").find_spans
    return _each(
        lambda text, patient: [(one.start, one.end) for one in find_spans(text, mode=mode, mask=words_of(patient))]
    )


def incognito(*analyzers: str) -> Tool:
    """Return incognito with these analyzers, which see one after the other what the one before wrote."""
    warnings.simplefilter("ignore")  # the lossy analyzer warns at each text
    library, masks = import_module("incognito_anonymizer"), import_module("incognito_anonymizer.mask")
    asked: list[list[tuple[int, int, str]]] = []
    placeholders = masks.PlaceholderStrategy()

    class Recorded:
        def mask(self, text: str, coordinate: Mapping[Any, str]) -> str:
            asked.append([(start, end, said) for spans, said in coordinate.items() for start, end in spans])
            return str(placeholders.mask(text, coordinate))

    anonymizer = library.Anonymizer()
    anonymizer.MASKS["recorded"] = Recorded()
    anonymizer.set_mask("recorded")
    for name in analyzers:
        anonymizer.add_analyzer(name)

    def find(text: str, patient: Given) -> Spans:
        asked.clear()
        anonymizer.anonymize(text, library.PersonalInfo(**_personal_info(patient)))
        return hidden_by_masks(len(text), asked)

    return _each(find)


def _personal_info(patient: Given) -> dict[str, str]:
    """Return the fields of incognito's PersonalInfo; an unknown one must be empty, since its defaults are searched."""
    info = {
        "first_name": next(iter(patient.get("first_names", ())), ""),
        "last_name": patient.get("last_name", ""),
        "birth_name": patient.get("birth_name", ""),
        "ipp": patient.get("ipp", ""),
        "iep": patient.get("nda", ""),
        "postal_code": patient.get("zip", ""),
        "adress": next(iter(patient.get("addresses", ())), ""),
    }
    born = patient.get("birth_date", "")
    return info | ({"birthdate": born} if len(born) == len("1961-05-14") else {})


def presidio(model: str) -> Tool:
    """Return Presidio on a French model of spaCy, organisations included, with the patient's words as a deny list."""
    library, engines = import_module("presidio_analyzer"), import_module("presidio_analyzer.nlp_engine")
    recognizers = import_module("presidio_analyzer.predefined_recognizers")
    domains: Any = import_module("tldextract.tldextract")
    # Addresses of invented people end in .example, and their mobiles are in a range of fiction, possible but not valid.
    domains.TLD_EXTRACTOR = domains.TLDExtract(suffix_list_urls=(), extra_suffixes=("example",))
    phones = recognizers.PhoneRecognizer(supported_language="fr", supported_regions=REGIONS, leniency=0)
    engine = engines.SpacyNlpEngine(
        models=[{"lang_code": "fr", "model_name": model}],
        ner_model_configuration=engines.NerModelConfiguration(labels_to_ignore=["MISC"]),
    )
    engine.load()
    registry = library.RecognizerRegistry(supported_languages=["fr"])
    registry.load_predefined_recognizers(languages=["fr"], nlp_engine=engine)
    registry.remove_recognizer("PhoneRecognizer")
    registry.add_recognizer(phones)
    analyzer = library.AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=["fr"])

    def find(text: str, patient: Given) -> Spans:
        words = words_of(patient)
        known = [library.PatternRecognizer("PATIENT", deny_list=words, supported_language="fr")] if words else []
        return [(one.start, one.end) for one in analyzer.analyze(text, language="fr", ad_hoc_recognizers=known)]

    return _each(find)


def crate() -> Tool:
    """Return CRATE's scrubbers of texts, without its databases: the patient's values, dates, numbers, addresses."""
    scrub, constants = import_module("crate_anon.anonymise.scrub"), import_module("crate_anon.anonymise.constants")
    hasher = import_module("cardinal_pythonlib.hash").HmacSHA256Hasher("not a secret: nothing that it hashes is kept")
    methods = constants.ScrubMethod
    general = scrub.NonspecificScrubber(
        hasher,
        scrub_all_numbers_of_n_digits=[10, 11, 13, 15],  # telephone, RPPS, NIR without and with its key
        scrub_all_dates=True,
        scrub_all_email_addresses=True,
    )

    def filled(match: Any) -> str:
        return FILLER * len(match[0])

    general.replacer.replace = filled
    by_method = {
        methods.WORDS: ("last_name", "birth_name", "first_names", "city"),
        methods.PHRASE: ("addresses", "emails"),
        methods.NUMERIC: ("phones", "ipp", "nda", "nir"),
        methods.CODE: ("zip",),
        methods.DATE: ("birth_date",),
    }

    def find(text: str, patient: Given) -> Spans:
        scrubber = scrub.PersonalizedScrubber(hasher, filled, filled, nonspecific_scrubber=general)
        for method, names in by_method.items():
            for value in (patient[name] for name in names if patient.get(name)):
                for one in [value] if isinstance(value, str) else value:
                    scrubber.add_value(one, method)
        return runs(one == FILLER for one in scrubber.scrub(text))

    return _each(find)


TOOLS: Mapping[str, Callable[[], Tool]] = {
    **{f"nocturne {policy}": partial(nocturne, policy) for policy in ("default", "light")},
    **{f"unpii {mode}": partial(unpii, mode) for mode in ("standard", "paranoid")},
    "incognito": partial(incognito, "pii", "regex"),
    "incognito lossy": partial(incognito, "pii", "regex", "lossy"),
    **{f"presidio {size}": partial(presidio, f"fr_core_news_{size}") for size in ("sm", "md")},
    "crate": crate,
}


def peak() -> int:
    """Return the peak of this process's memory in KiB; that of `resource` may be of the process that started it."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])


def hide(tool: Tool, documents: Iterable[str], write: Callable[[str], object]) -> None:
    """Write what a tool hides in lines of documents, then its seconds of processor and its peak of memory."""
    lines, seconds = iter(documents), 0.0
    first = True
    while batch := [json.loads(line) for line in islice(lines, BATCH)]:
        if first:
            tool(batch[:1])  # tables and weights are read at the first document
            first = False
        began = time.process_time()
        found = [*tool(batch)]
        seconds += time.process_time() - began
        for spans in found:
            write(json.dumps(spans) + "\n")
    write(json.dumps({"seconds": seconds, "peak": peak()}) + "\n")


def main() -> None:
    """Run one tool."""
    name, documents, hidden = sys.argv[1:]
    with Path(documents).open(encoding="utf-8") as lines, Path(hidden).open("w", encoding="utf-8") as output:
        hide(TOOLS[name](), lines, output.write)


if __name__ == "__main__":
    main()

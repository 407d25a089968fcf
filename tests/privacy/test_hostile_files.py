"""Files with an identity in a hostile place do not leak, and the judge that says so finds each encoding by itself."""

from __future__ import annotations

from random import Random

import pytest

from benchmarks.hostile_files import Identity, Product, Sample, built_in, hostile_files, judge
from benchmarks.hostile_places import ENCODINGS, FAMILIES, WORDS, zipped
from benchmarks.raw_search import found_in

SOMEBODY = Identity.invented(Random(3))  # noqa: S311  (no secret)
TOLD = " ".join(SOMEBODY.values)
SAMPLES = built_in()


@pytest.mark.slow
def test_no_hostile_file_leaks() -> None:
    small = [one for one in SAMPLES if len(one.raw) < 20_000 and one.name != "a.eml"]  # that one is held back as it is
    judged = judge(hostile_files(small, 30, Random(5)), Product())  # noqa: S311
    assert [(one.hostile.place, one.hostile.encoding) for one in judged if one.found] == []
    assert sum(one.written for one in judged) >= 20
    assert len({one.hostile.sample.format for one in judged}) == len(FAMILIES)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_the_judge_finds_every_encoding(encoding: str) -> None:
    written = ENCODINGS[encoding](TOLD)
    for charset in ("utf-8", "utf-16"):
        assert found_in(f"Vue hier. {written} Fin.".encode(charset), SOMEBODY.values) == {*SOMEBODY.values}
    assert found_in(zipped({"a": zipped({"b": written.encode()})}), SOMEBODY.values) == {*SOMEBODY.values}
    assert found_in(ENCODINGS[encoding]("Vue hier au CHU de Quimper.").encode(), SOMEBODY.values) == set()


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: f"{one.format} {one.name}")
def test_the_judge_finds_what_stands_in_the_words_of_every_format(sample: Sample) -> None:
    raw = FAMILIES[sample.format][WORDS](sample.raw, SOMEBODY.sentence, Random(1))  # noqa: S311
    assert found_in(sample.raw, SOMEBODY.values) == set()
    assert found_in(raw, SOMEBODY.values) == {*SOMEBODY.values}

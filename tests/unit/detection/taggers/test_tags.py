"""From mentions to tags and back."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from deid.detection.taggers.tags import INDEX, TAGS, decode, encode
from deid.detection.text.reading import Reading
from deid.domain.document import Document, Mention
from deid.domain.labels import Label


def reading(text: str) -> Reading:
    return Reading(Document("d", text))


def test_tags_come_back_as_mentions() -> None:
    text = "Mme Claire MARTIN, née le 3 mai 1950"
    marked = (Mention(4, 17, Label.PATIENT), Mention(26, 36, Label.DATE))
    one = reading(text)
    tags = encode(one, marked)
    assert [TAGS[tag] for tag in tags] == ["O", "B-PATIENT", "I-PATIENT", "O", "O", "O", "B-DATE", "I-DATE", "I-DATE"]
    back = decode(one, tags.tolist(), [0.5] * len(tags))
    assert [(m.start, m.end, m.label, m.score) for m in back] == [(4, 17, "PATIENT", 0.5), (26, 36, "DATE", 0.5)]


def test_neighbours_of_one_label_stay_two_mentions() -> None:
    one = reading("DUPRÉ DUVAL")
    tags = encode(one, (Mention(0, 5, Label.DOCTOR), Mention(6, 11, Label.DOCTOR)))
    assert [TAGS[tag] for tag in tags] == ["B-DOCTOR", "B-DOCTOR"]
    assert len(decode(one, tags.tolist(), [1.0, 1.0])) == 2


def test_a_mention_never_crosses_a_line() -> None:
    one = reading("Jean\nDUVAL")
    path = [INDEX["B-PERSON"], INDEX["I-PERSON"], INDEX["I-PERSON"]]
    assert [(m.start, m.end) for m in decode(one, path, [1.0] * 3)] == [(0, 4), (5, 10)]


def test_a_token_belongs_where_half_of_it_lies() -> None:
    one = reading("DrBENALI")
    assert [TAGS[tag] for tag in encode(one, (Mention(2, 8, Label.DOCTOR),))] == ["B-DOCTOR"]
    assert [TAGS[tag] for tag in encode(one, (Mention(6, 8, Label.DOCTOR),))] == ["O"]


@given(st.text(max_size=80), st.lists(st.integers(0, len(TAGS) - 1), min_size=80, max_size=80))
def test_any_path_gives_mentions_inside_the_text(text: str, path: list[int]) -> None:
    one = reading(text)
    tokens = len(one.starts)
    mentions = decode(one, path[:tokens], [0.7] * tokens)
    for before, after in itertools.pairwise(mentions):
        assert before.end <= after.start
    for mention in mentions:
        assert mention.end <= len(text)
        assert "\n" not in text[mention.start : mention.end]
    again = decode(one, encode(one, mentions).tolist(), [0.7] * tokens)
    assert [(m.start, m.end, m.label) for m in again] == [(m.start, m.end, m.label) for m in mentions]


def test_encode_has_a_tag_per_token() -> None:
    assert encode(reading(""), ()).shape == (0,)
    assert encode(reading("a b\nc"), ()).dtype == np.int64

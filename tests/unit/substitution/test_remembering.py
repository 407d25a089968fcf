"""What is remembered of a function: its answers, each found once, and no more of them than asked for."""

from __future__ import annotations

from deid.french.remembering import remembering


def test_an_answer_is_found_once_until_there_are_too_many() -> None:
    asked = []

    @remembering(2)
    def shout(text: str) -> str:
        asked.append(text)
        return text.upper()

    assert [shout(text) for text in ("a", "b", "a", "b")] == ["A", "B", "A", "B"]
    assert asked == ["a", "b"]
    assert [shout(text) for text in ("c", "a", "c")] == ["C", "A", "C"]
    assert asked == ["a", "b", "c", "a"]

"""Characters that hide words from a reader of text. Listed, so that offsets do not move with Python's Unicode data."""

from __future__ import annotations


def _spread(*ranges: tuple[int, int]) -> frozenset[str]:
    return frozenset(chr(code) for first, last in ranges for code in range(first, last + 1))


# Soft hyphen, zero-width characters, direction marks, tags: invisible, and able to split a name in two.
INVISIBLE = _spread(
    (0xAD, 0xAD),
    (0x61C, 0x61C),
    (0x180E, 0x180E),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x206F),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE007F),
)

# Control characters but tab, line feed and carriage return, and Unicode's own line separators
CONTROL = _spread((0x01, 0x08), (0x0B, 0x0C), (0x0E, 0x1F), (0x7F, 0x9F), (0x2028, 0x2029))

# How French typography writes the space before ":" and inside numbers
FIXED_SPACES = frozenset("\u00a0\u202f")

"""Documents for property tests: tag soup, and spans to replace in what is read from it."""

from __future__ import annotations

from hypothesis import strategies as st

TAGS = "p div b i u sup ul li table tr td th tbody pre h2 span font center body html form a caption blockquote".split()
WORDS = ["DUPONT", "Jean", "né", "le", "12/02/2020", "l'hôpital", "K<3", "a & b", ">", "<", "&", "œil", "1er", "!"]
ENTITIES = ["&nbsp;", "&eacute;", "&#233;", "&#xE9;", "&amp;", "&lt;", "&copy", "&inconnu;", "&#10;", "&#32;", "&shy;"]
SPACES = [" ", "  ", "\n", "\t", "\r\n", "\u00a0", "\u202f", "\u200b", "\f", "\x1d"]
VOIDS = ["<br>", "<br/>", "<hr>", "<img alt='x'>", "<input value=y>", "<!-- c -->", "<![if !x]>", "</>", "<wbr>"]

_tag = st.sampled_from(TAGS)
_markup = st.one_of(
    _tag.map(lambda name: f"<{name}>"),
    _tag.map(lambda name: f'<{name} class="a>b" colspan=2>'),
    _tag.map(lambda name: f"</{name}>"),
    st.sampled_from(VOIDS),
    st.sampled_from(["<style>p {}</style>", "<script>if (a<b) x='</p>'</script>", "<textarea>\n a <b> c</textarea>"]),
)
_words = st.sampled_from(WORDS + ENTITIES + SPACES)

# What a careless editor leaves: any tag anywhere
tag_soup = st.lists(st.one_of(_markup, _words), max_size=40).map("".join)

surrogates = st.sampled_from(["MARTIN", "Anne-Lise  Roy", " x ", "<b>&amp;", "03/04/2021", "é"])


@st.composite
def spans(draw: st.DrawFn, length: int) -> list[tuple[int, int]]:
    """Sorted spans of a text of `length` code points that do not overlap."""
    ends = sorted(draw(st.sets(st.integers(0, length), max_size=12)))
    return [(start, end) for start, end in zip(ends[::2], ends[1::2], strict=False)]

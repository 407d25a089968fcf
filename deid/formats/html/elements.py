"""The elements of HTML as text sees them: which break lines, which are dropped, which survive in a clean page.

Source: WHATWG HTML, sections 13.1.2 (kinds of elements), 13.1.2.4 (optional tags) and 15.3 (rendering).
"""

from __future__ import annotations

INLINE_KEPT = frozenset({"b", "strong", "i", "em", "u", "s", "sub", "sup"})
HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
LISTS = frozenset({"ul", "ol", "li", "dl", "dt", "dd"})
CELLS = frozenset({"td", "th"})
ROWS = frozenset({"table", "thead", "tbody", "tfoot", "tr"})
BLOCK_KEPT = HEADINGS | LISTS | CELLS | ROWS | {"p", "div", "pre", "blockquote", "caption"}
VOID_KEPT = frozenset({"br", "hr"})

# Blocks that a clean page writes under another name
_AS_DIV = """address article aside center details dialog dir fieldset figcaption figure footer form header
legend main menu nav optgroup option search section summary""".split()
RENAMED = dict.fromkeys(_AS_DIV, "div") | {"listing": "pre", "xmp": "pre", "textarea": "pre"}

# Their content is no text of the document
DROPPED = frozenset({"head", "script", "style", "title"})
# Read up to their own end tag, whatever stands between
RAW = frozenset({"script", "style", "title", "textarea"})
# Shown as a box: parts the words on its two sides
BOXES = frozenset({"img", "input", "object", "embed", "video", "audio", "canvas", "svg", "button", "select", "iframe"})

_VANISHING = """html body a abbr acronym applet area base basefont bdi bdo big blink cite code col colgroup data
datalist del dfn font frame frameset ins kbd label link map mark marquee math meta meter nobr noembed noframes
noscript output param picture progress q rb rp rt rtc ruby samp slot small source span strike template time
track tt var wbr""".split()
KNOWN = frozenset(_VANISHING) | INLINE_KEPT | BLOCK_KEPT | VOID_KEPT | RENAMED.keys() | DROPPED | BOXES

TABLE_PARTS = CELLS | ROWS | {"caption"}
SCOPES = CELLS | {"table", "caption"}

# A document cut short leaves one of these open.
CONTAINERS = frozenset({"html", "body", "table"})

# Opening the key ends an element of the values that is still open just above it.
_ROW_PARTS = CELLS | {"tr"}
_SECTIONS = frozenset({"thead", "tbody", "tfoot", "caption"})
ENDS: dict[str, frozenset[str]] = {
    "li": frozenset({"li", "p"}),
    "dt": frozenset({"dt", "dd", "p"}),
    "dd": frozenset({"dt", "dd", "p"}),
    "td": CELLS | {"p", "caption"},
    "th": CELLS | {"p", "caption"},
    "tr": _ROW_PARTS | {"p", "caption"},
    "thead": _ROW_PARTS | _SECTIONS | {"p"},
    "tbody": _ROW_PARTS | _SECTIONS | {"p"},
    "tfoot": _ROW_PARTS | _SECTIONS | {"p"},
} | dict.fromkeys(HEADINGS | {"p", "div", "pre", "blockquote", "ul", "ol", "dl", "table", "hr"}, frozenset({"p"}))

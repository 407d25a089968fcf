"""HTML: what a person reads on the page, as text; and a clean page with surrogates in its place.

Scripts, styles, comments, `head`, and the values of attributes are no text and never come back; hidden text is
text. A document is refused as truncated where it ends inside a tag, comment, script, style or title, or where
`html`, `body`, `head` or a table is opened and never closed; a fragment that opens none of them is whole.
"""

from __future__ import annotations

from deid.domain.errors import DocumentRefused, Reason
from deid.formats.decoding import decode
from deid.formats.html.layout import Layout
from deid.formats.html.page import HtmlSource
from deid.formats.html.structure import events
from deid.formats.html.tokens import Truncated


def read(raw: bytes, charset: str, document_id: str) -> HtmlSource:
    """Read an HTML page or fragment; how white space and lines come out is told in `layout`.

    Raises:
        DocumentRefused: undecodable, or malformed (truncated).
    """
    source = decode(raw, charset, document_id)
    layout = Layout(source)
    try:
        for event in events(source):
            layout.add(event)
    except Truncated as error:
        detail = f"{error}: the document was cut, export it again at the source"
        raise DocumentRefused(document_id, Reason.MALFORMED, detail) from None
    return HtmlSource(layout.text, source, tuple(layout.nodes), tuple(layout.segments))

"""Names of fonts and styles, and instructions of fields, that tell nothing: those that word processors come with."""

from __future__ import annotations

import re

PAGE_FIELD = re.compile(
    r"\s*(?:PAGE|NUMPAGES|SECTIONPAGES|FORMTEXT|FORMCHECKBOX)(?:\s*\\\*\s*(?:MERGEFORMAT|Arabic|roman))*\s*",
    re.IGNORECASE,
)
THREE_LETTERS = re.compile(r"[^\W\d_]{3}")
STYLE_NAMES = re.compile(
    r"Normal(?: Table| \(Web\))?|heading \d|(?:Sub)?[Tt]itle|header|footer|footnote (?:text|reference)|caption|Strong"
    r"|Emphasis|Default Paragraph Font|Default Style|List(?: (?:Paragraph|Bullet|Number))?(?: \d)?|page number|Index"
    r"|Body Text(?: Indent)?(?: \d)?|Text Body|Table (?:Grid|Normal|Contents|Heading)|Hyperlink|No (?:Spacing|List)"
    r"|Plain Text|Heading",
    re.IGNORECASE,
)
FONT_NAMES = re.compile(
    r"(?:Times(?: New Roman)?|Arial|Calibri|Cambria|Courier|Symbol|Wingdings|Webdings|Tahoma|Verdana|Georgia|Helvetica"
    r"|Garamond|Segoe UI|Consolas|Trebuchet MS|Century Gothic|Book Antiqua|Bookman Old Style|Comic Sans MS|OpenSymbol"
    r"|Palatino Linotype|Liberation|DejaVu|Noto|Open|Lucida|Microsoft|MS|Aptos|Candara|Corbel|Constantia|Mangal|Linux"
    r"|Lohit Devanagari|Gill)(?: (?:Serif|Sans|Mono|Narrow|Black|Light|Math|MT|New|Unicode|Display|Console|Gothic"
    r"|Mincho|Condensed|CJK|SC|JP|Devanagari|Libertine|Biolinum|Schoolbook|CE|Cyr|Greek|Tur|Baltic|G|MS|Shell|Dlg|\(Body\)"
    r"|\(W1\)|\d))*",
)

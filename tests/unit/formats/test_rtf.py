"""RTF: what is read, what is removed, and that only the changed words change."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from deid.domain.errors import DocumentRefused, Reason
from deid.formats.fields import FileRules
from deid.formats.files import read_file
from deid.formats.segments import SegmentedSource
from tests.unit.formats.offices import WRITER

LETTER = rb"""{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\froman\fcharset0 Times New Roman;}
{\f1\fswiss\fcharset238 Arial;}}
{\colortbl;\red0\green0\blue0;}{\stylesheet{\s0 Normal;}}\viewkind4\uc1\pard\f0\fs24
Cher confr\'e8re,\par
J'ai vu M. {\b Du}{\i pont} ce jour : \u8220?tr\'e8s bien\u8221?, TA 12/8.\par
\trowd\cellx2000\cellx4000 Nom\cell Dupont\cell\row\pard
{\footnote Adress\'e9 par Mme Dupont.}Fin\line{\f1 \'b3\'f3d\'9f}\par}
"""


def read(raw: bytes, rules: FileRules | None = None) -> SegmentedSource:
    return read_file(raw, document_id="d", max_bytes=10**7, hint="lettre.rtf", rules=rules or FileRules())


def replace_all(source: SegmentedSource, name: str, surrogate: str) -> bytes:
    return source.rewrite([(found.start(), found.end(), surrogate) for found in re.finditer(name, source.text)])


def test_words_are_read_as_a_person_reads_them() -> None:
    assert read(LETTER).text.splitlines() == [
        "Cher confrère,",
        "J'ai vu M. Dupont ce jour : “très bien”, TA 12/8.",
        "Nom\tDupont\t",
        "Adressé par Mme Dupont.",
        "Fin",
        "łódź",
    ]


def test_without_a_change_not_a_byte_changes() -> None:
    assert read(LETTER).rewrite([]) == LETTER


def test_a_name_in_two_typefaces_gets_one_surrogate_and_the_rest_stays() -> None:
    source = read(LETTER)
    written = replace_all(source, "Dupont", "Éloïse {Ô}\u0153")
    assert read(written).text == source.text.replace("Dupont", "Éloïse {Ô}\u0153")
    assert b"pont" not in written
    assert written.startswith(LETTER[: LETTER.index(b"Du}")])


HIDDEN = {
    "properties": rb"{\info{\author Zorglub}{\*\company Zorglub}{\title Zorglub}}",
    "variables": rb"{\*\docvar {nom}{Zorglub}}",
    "comment": rb"{\*\atnid Zorglub}{\*\atnauthor Zorglub}\chatn{\*\annotation Zorglub\par}",
    "revision": rb"{\deleted\revauthdel1 Zorglub}{\*\revtbl{Inconnu;}{Zorglub;}}",
    "bookmark": rb"{\*\bkmkstart Zorglub}{\*\bkmkend Zorglub}",
    "object": rb"{\object\objemb{\*\objclass Word}{\*\objdata 5a6f72}{\result{\pict 5a6f72 Zorglub}}}",
    "link": rb'{\field{\*\fldinst{HYPERLINK "mailto:Zorglub@x.fr"}}{\fldrslt ici}}',
    "form value": rb"{\field{\*\fldinst FORMTEXT {\*\formfield{\*\ffname Zorglub}{\*\ffdeftext Zorglub}}}{\fldrslt x}}",
    "file name": rb'{\field{\*\fldinst INCLUDEPICTURE "C:\\Zorglub.png"}{\fldrslt x}}',
    "style": rb"{\stylesheet{\s1 Courrier Zorglub;}}",
    "font": rb"{\fonttbl{\f7 Zorglub;}}",
    "list": rb"{\*\listtable{\list{\listlevel{\leveltext\'09Zorglub \'00.;}{\levelnumbers;}}{\listname Zorglub;}}}",
    "drawing": rb"{\shp{\*\shpinst{\sp{\sn wzName}{\sv Zorglub}}{\sp{\sn pib}{\sv{\pict 5a}}}}{\shprslt Zorglub}}",
    "picture": rb"{\*\shppict{\pict{\*\picprop{\sp{\sn wzName}{\sv Zorglub}}}\pngblip 89504e47}}",
    "data": rb"{\*\datastore Zorglub}{\*\unknown{\b Zorglub}}",
    "template": rb"{\*\template C:\\Zorglub.dot}",
    "index": rb"{\xe Zorglub}{\tc Zorglub}",
    "outlook": rb"{\*\htmltag64 <a href=Zorglub>}",
}


@pytest.mark.parametrize("part", HIDDEN.values(), ids=HIDDEN)
def test_what_is_not_shown_is_removed(part: bytes) -> None:
    source = read(LETTER.replace(b"Cher", part + b"Cher", 1))
    written = source.rewrite([])
    assert "Zorglub" not in source.text
    assert b"orglub" not in written
    assert source.removed
    assert read(written).text.removeprefix("ici").removeprefix("x") == read(LETTER).text


def test_words_after_the_last_brace_are_removed() -> None:
    assert read(LETTER + b"Zorglub").rewrite([]) == LETTER.rstrip(b"\n")


SHOWN = {
    "header": rb"{\header Zorglub\par}",
    "text box": rb"{\shp{\*\shpinst{\shptxt Zorglub\par}}}",
    "hidden": rb"{\v Zorglub}",
    "field": rb'{\field{\*\fldinst HYPERLINK "x"}{\fldrslt Zorglub}}',
    "list": rb"{\listtext Zorglub\tab}",
    "split by line ends": b"Zor\r\nglub",
    "by its numbers": rb"\u90?\u111?\u114?\u103?\u108?\u117?\u98?",
    "by its bytes": rb"\'5a\'6f\'72\'67\'6c\'75\'62",
}


@pytest.mark.parametrize("part", SHOWN.values(), ids=SHOWN)
def test_what_is_shown_is_read_and_replaced(part: bytes) -> None:
    source = read(LETTER.replace(b"Cher", part + b" Cher", 1))
    assert source.text.count("Zorglub") == 1
    written = replace_all(source, "Zorglub", "Martin")
    assert read(written).text == source.text.replace("Zorglub", "Martin")
    assert part not in written


def test_pictures_follow_the_rules_of_the_source() -> None:
    raw = LETTER.replace(b"Cher", rb"{\pict\pngblip 89504e47}Cher", 1)
    assert b"89504e47" not in read(raw).rewrite([])
    assert read(raw, FileRules(images="keep")).rewrite([]) == raw
    with pytest.raises(DocumentRefused) as refused:
        read(raw, FileRules(images="refuse"))
    assert refused.value.reason is Reason.PICTURES


PICTURES = {
    "of Word": rb"{\*\shppict{\pict\pngblip\picw10 89504e47}}",
    "of bytes": rb"{\*\shppict{\pict\jpegblip\bin4 abcd}}",
    "of a drawing": rb"{\shp{\*\shpinst{\sp{\sn pib}{\sv {\pict\pngblip 89504e47}}}}}",
}


@pytest.mark.parametrize("part", PICTURES.values(), ids=PICTURES)
def test_a_picture_of_word_comes_out_whole_or_goes_whole(part: bytes) -> None:
    raw = LETTER.replace(b"Cher", part + b"Cher", 1)
    kept = read(raw, FileRules(images="keep"))
    assert kept.rewrite([]) == raw
    assert part in replace_all(kept, "Dupont", "Martin")
    dropped = read(raw)
    assert not re.search(rb"89504e47|abcd|blip|pib", dropped.rewrite([]))
    assert dropped.removed["image"] == 1
    with pytest.raises(DocumentRefused):
        read(raw, FileRules(images="refuse"))


@pytest.mark.parametrize(
    "part",
    [
        rb"{\*\shppict Zorglub{\pict Zorglub\pngblip 89504e47}}",
        rb"{\*\shppict{\pict{\*\picprop{\sp{\sn wzName}{\sv Zorglub}}}\pngblip{\*\blipuid Zorglub} 89504e47}}",
        rb"{\shp{\*\shpinst{\sp{\sn pib}{\sv Zorglub{\pict\pngblip 89504e47}}}}}",
        rb"{\shp{\*\shpinst{\sp{\sn pib}{\sv {\pict\pngblip Zorglub{\b Zorglub}}Zorglub}}}}",
        rb"{\shp{\*\shpinst{\sp{\sn wzName}{\sv {\pict\pngblip Zorglub}}}}}",
    ],
)
def test_a_kept_picture_hides_no_word(part: bytes) -> None:
    raw = LETTER.replace(b"Cher", part + b"Cher", 1)
    assert b"orglub" not in read(raw, FileRules(images="keep")).rewrite([])


@pytest.mark.parametrize(
    ("given", "stays"),
    [
        ("fillColor 16777215", True), ("lineColor 16711680", True), ("rotation 17694720", True),
        ("rotation -5898240", True), ("lineWidth 9525", True),
        ("fillColor 19610514", False), ("fillColor 14051961", False), ("fillColor 61051400", False),
        ("lineWidth 12345678", False), ("fillColor 384517720", False), ("lebrunColor 16777215", False),
    ],
)  # fmt: skip
def test_a_colour_or_an_angle_may_have_eight_digits_that_are_no_day(given: str, stays: bool) -> None:
    name, value = given.encode().split()
    part = rb"{\shp{\*\shpinst{\sp{\sn " + name + rb"}{\sv " + value + rb"}}}}"
    assert (value in read(LETTER.replace(b"Cher", part + b"Cher", 1)).rewrite([])) is stays


@pytest.mark.parametrize(
    "hidden",
    [
        rb"\bin18 Dupont 0384517720", rb"{\colortbl;\red0\green0\blue0;Dupont;}",
        rb"{\*\pnseclvl1{\pntxtb 0384517720}}",
        rb"\lebrun ", rb"\par\lebrun19610514\lebrun ", rb"\fs19610514 ", rb"{\lebrun}", rb"\0\3\8\4\5\1\7\7\2\0",
        rb"{\fonttbl{\f7\lebrun Arial{\*\lebrun lebrun};}}", rb"{\stylesheet{\s7\lebrun Normal{\*\lebrun lebrun};}}",
        rb"{\*\listtable{\list\lebrun\listid19610514}}{\listoverridetable{\listoverride\listid19610514\ls1}}",
        rb"{\shp{\*\shpinst\lebrun1{\sp{\sn lebrun}{\sv 3}}{\sp{\sn lineWidth}{\sv 19610514}}}}",
        rb"{\pict\lebrun\pngblip lebrun}",
        rb"{\field{\*\fldinst PAGE\lebrun {\*\lebrun lebrun}}{\fldrslt}}",
    ],
)  # fmt: skip
def test_what_no_reader_shows_is_not_written(hidden: bytes) -> None:
    raw = rb"{\rtf1\ansi Vu ce jour, M. Dupont. " + hidden + rb" Suivi.\par}"
    source = read(raw, FileRules(images="keep"))
    written = replace_all(source, "Dupont", "Martin")
    assert not re.search(rb"Dupont|lebrun|0384517720|19610514|\\[0-9]", written)
    assert read(written).text == source.text.replace("Dupont", "Martin")


@pytest.mark.parametrize(
    ("given", "left"),
    [
        (rb"\par\lebrun Suite", rb"\par Suite"),
        (rb"\par \lebrun Suite", rb"\par Suite"),
        (rb"Sui\lebrun te", rb"Suite"),
        (rb"\b\lebrun\lebrun1 1961", rb"\b 1961"),
        (rb"\trowd\cellx19000\clvertalt\li-720\sa160 x", rb"\trowd\cellx19000\clvertalt\li-720\sa160 x"),
        (rb"{\sp{\sn lineWidth}{\sv 12700}}", rb"{\sp{\sn lineWidth}{\sv 12700}}"),
    ],
)
def test_words_of_the_specification_stay_and_end_where_they_did(given: bytes, left: bytes) -> None:
    assert read(rb"{\rtf1\ansi Vu. " + given + rb"\par}").rewrite([]) == rb"{\rtf1\ansi Vu. " + left + rb"\par}"


@pytest.mark.parametrize(
    "fallback",
    [
        rb"\uc7\u233 Zorglub",
        rb"\uc9\u233 e Zorglub",
        rb"\uc7\u233 \'5a\'6f\'72\'67\'6c\'75\'62",
        b"".join(rb"\u233 %c" % letter for letter in b"Zorglub"),
        b"\\u233" + rb"\Zorglub ",
    ],
)
def test_what_stands_for_a_character_says_no_more_than_it(fallback: bytes) -> None:
    source = read(rb"{\rtf1\ansi " + fallback + rb" Vu ce jour.\par}")
    written = source.rewrite([])
    assert not re.search(rb"[Zorglub]{2}|'5a|\\u233 [Zorglub]", written.split(b" Vu")[0].split(rb"\ansi")[1])
    assert read(written).text == source.text


@pytest.mark.parametrize("fallback", [rb"\u233 e", rb"\u233?", rb"\u233\'e9", rb"\u8364\'80", rb"\u8217'"])
def test_what_stands_for_a_character_stays(fallback: bytes) -> None:
    raw = rb"{\rtf1\ansi Vu ce jour. " + fallback + rb"\par}"
    assert read(raw).rewrite([]) == raw


BAD = {
    "cut off": (LETTER[:300], "malformed"),
    "cut off after a backslash": (LETTER[:300] + b"\\", "malformed"),
    "nested": (b"{\\rtf1 " + b"{" * 100_000 + b"x" + b"}" * 100_001, "malformed"),
    "nothing": (b"{\\rtf1 }", "empty"),
    "long data": (b"{\\rtf1 {\\pict\\bin999999999 x}}", "malformed"),
}


def outcome(raw: bytes) -> str:
    """Return what reading and writing a file gives: "read", or the reason of its refusal."""
    try:
        return "read" if isinstance(read(raw).rewrite([]), bytes) else ""
    except DocumentRefused as refused:
        return str(refused.reason)


@pytest.mark.parametrize(("raw", "expected"), BAD.values(), ids=BAD)
def test_bad_input_has_a_reason(raw: bytes, expected: str) -> None:
    assert outcome(raw) == expected


@given(st.data())
def test_a_damaged_letter_is_read_or_refused(data: st.DataObject) -> None:
    start = data.draw(st.integers(6, len(LETTER)))
    piece = data.draw(st.binary(max_size=6))
    assert outcome(LETTER[:start] + piece + LETTER[start + data.draw(st.integers(0, 4)) :])


@given(st.text("abcÉœ€{}\\;*😀ß -'\t", min_size=1))
def test_any_surrogate_is_read_back(surrogate: str) -> None:
    source = read(LETTER)
    at = source.text.index("Dupont")
    assert read(source.rewrite([(at, at + 6, surrogate)])).text == source.text.replace("Dupont", surrogate, 1)


@WRITER
@pytest.mark.slow
def test_libreoffice_reads_what_is_written(tmp_path: Path) -> None:
    (tmp_path / "lettre.rtf").write_bytes(replace_all(read(LETTER), "Dupont", "Éloïse"))
    profile = f"-env:UserInstallation=file://{tmp_path}/profile"
    command = ["soffice", profile, "--headless", "--convert-to", "txt:Text (encoded):UTF8", "--outdir", str(tmp_path)]
    subprocess.run([*command, str(tmp_path / "lettre.rtf")], check=True, capture_output=True, timeout=120)
    text = (tmp_path / "lettre.txt").read_text("utf-8")
    assert text.count("Éloïse") == 2  # notes are left out of a text
    assert "Dupont" not in text

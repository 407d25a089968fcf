"""A document as a reader understands it, with the offsets of the source: detection reads this form.

Characters that nobody sees are left out, look-alike and compatibility letters become the letters that they show,
remains of encodings become characters, and a slip in a title becomes the title. A name that is spelt out, written with
digits for letters, with letters repeated, in irregular case or backwards becomes that name, if a table or the patient's
identity knows it, and one without the blank behind its title has that blank. A text with nothing of the kind is read as
it is. The source itself is never altered: mentions return to its offsets.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import pairwise

from deid.detection.lookup.lexicon import gazetteers, lexicon
from deid.detection.text.names import Misspellings
from deid.detection.text.vocabulary import (
    BIRTH,
    CIVILITIES,
    DOCTOR_TITLES,
    KINSHIP,
    PERSON_TITLES,
    PROFESSIONS,
    word_list,
)
from deid.domain.document import Document, Mention, Patient
from deid.french.composing import Aligned, Edit, broken_words, composed, is_scanned, misread_letters
from deid.french.folding import case_of, fold, key

_LEAST = 5  # letters of a name in a table; shorter ones could be anything
_LEAST_KNOWN = 4  # letters of a name of the patient
_OWN, _OF_A_WORD = 1_000_000, 100  # how usual the patient's names are, and a medical word or one used once in a million

_ENCODED = re.compile(
    r"(?P<percent>(?:%[0-9A-Fa-f]{2})+)|(?P<quoted>=C[2-5]=[89AB][0-9A-F]|(?<=[^\W\d_])=E[0-9A-F](?=[a-z]))"
    r"|(?P<entity>&(?:\#[0-9]{1,7}|\#[xX][0-9a-fA-F]{1,6}|[A-Za-z]{2,8});)"
    r"|(?P<escape>\\u00[0-9a-fA-F]{2}|\\x[0-9a-fA-F]{2})|(?P<twice>[\u00c2-\u00c5][\u0080-\u00bf])"
)

_FORMS = re.compile(
    "[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\uff0b\uff0d-\uff0f\uff1a\uff20\ufb00-\ufb06\u0132\u0133\U0001d400-\U0001d7ff"
    "\u24b6-\u24e9\U0001f130-\U0001f149\U0001f150-\U0001f169\U0001f170-\U0001f189]|[\u02b0-\u02b8\u02e1-\u02e3"
    "\u1d2c-\u1d6a\u1d00-\u1d2b\u2071\u207f]{3,}|[\U0001f1e6-\U0001f1ff]{5,}|(?:[0-9]\ufe0f?\u20e3)+"
)
_SQUARED = ((0x1F130, "A"), (0x1F150, "A"), (0x1F170, "A"), (0x1F1E6, "A"))
_SMALL_CAPITALS = str.maketrans("ᴀʙᴄᴅᴇɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ", "abcdeghijklmnoprstuvwyz")

_LOOKALIKES = str.maketrans(
    "аеіјкорсѕтухԁАВЕЅІЈКМНОРСТУХοναειρτυκγηχΑΒΕΖΗΙΚΜΝΟΡΤΥΧꓐꓑꓓꓔꓖꓗꓜꓝꓟꓠꓡꓢꓣꓪꓫꓬꓮꓰꓲꓳꓴꓚ",
    "aeijkopcstyxdABESIJKMHOPCTYXovaeiptukynxABEZHIKMNOPTYXBPDTGKZFMNLSRWXYAEIOUC",
)
_OTHER_SCRIPT = re.compile("[\u0370-\u03ff\u0400-\u052f\ua4d0-\ua4ff]")
_WORD_WITH_OTHERS = re.compile("[^\\W\\d_]{0,40}[\u0370-\u03ff\u0400-\u052f\ua4d0-\ua4ff][^\\W\\d_]*")
# Greek letters that stand for themselves in medicine ("IFNγ", "αFP", "NF-κB"), Latin between small letters only.
_GREEK_SMALL = frozenset("αειρτυκγηχ")

# Letters set apart by single spaces stay: the taggers and the context know them.
_SEPARATOR = r"(?:[^\w\s]\ufe0f?|_| [^\w\s]{1,2} |, | {2,3})"
_SPELT = re.compile(rf"(?<![^\W\d_])[^\W\d_](?P<by>{_SEPARATOR})[^\W\d_](?:(?P=by)[^\W\d_])+(?![^\W\d_])")
_SPELT_BY_ANYTHING = re.compile(r"(?<![^\W\d_])[^\W\d_](?:[^\w\s.,;:!?'’()\-/]{1,3}[^\W\d_]){3,}(?![^\W\d_])")
_INSIDE = re.compile(r"(?<=[^\W\d_])[^\w\s.,;:!?'’()\[\]\-/@&+%$=<>|\"«»*^~#°{}]{1,3}(?=[^\W\d_])")
_LIKE = re.compile(r"\b([A-Za-zÀ-ÿ]) comme ([^\W\d_]+)(?:, |[ ;/-]|(?=[.\n)]|$))", re.IGNORECASE)
_CODE = sorted(word_list("spelling_alphabet"))
_CODE_WORDS = re.compile(rf"\b(?:{'|'.join(_CODE)})(?:[ ,/-]{{1,2}}(?:{'|'.join(_CODE)}))+\b", re.IGNORECASE)

_CUT = r"(?:[=-]?[ ]*\n[ ]*)"

# "Augmen-⏎tin": a word that the end of a line cuts, with what opens the next line.
_HYPHENED = re.compile(r"(?<!\w)([^\W\d_]{2,})[-\u00ac\u2010][ ]*\n[ ]*([^\W\d_]{2,})(?![\w'’])")
# What is ahead of a cut in a compound town, and behind: "La Roche-sur-[Fo-⏎ron]", "Clermont-l'[Hé-⏎rault]".
_COMPOUND_AHEAD, _COMPOUND_REACH = re.compile(r"(?:\bl[ae]s? )?(?:[^\W\d_]+[-'’]){1,5}\Z", re.IGNORECASE), 40

_LEET = re.compile(
    r"(?<![\w@$])(?=[^\W_@$!|]*[013-578@$!|])(?=(?:[\w@$!|)]{0,12}[^\W\d_]){2})[\w@$!|)]{5,24}(?![@$]|[-/.]?\d)"
)
_LEET_LETTERS = (str.maketrans("0134578@$!", "OIEASTBASI"), str.maketrans("0134578@$!", "OLEASTBASI"))
_REPEATED = re.compile(r"(?<![^\W\d_])(?=[^\W\d_]{0,24}?([^\W\d_])\1\1)[^\W\d_]{3,40}", re.IGNORECASE)
_RUN = re.compile(r"([^\W\d_])\1+", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{4,}")
# Titles that are written out and what may be one with a slip; a zero for the first letter of a surname behind one.
_TITLES = Misspellings(("docteur", "madame", "mademoiselle", "monsieur", "professeur"))
_BEFORE_NAME = re.compile(r"(?<![\w'’-])[^\W\d_]{4,14}(?=\.?[ \u00a0][^\W\d_])")
# Words right behind which a title with a slip is rather a surname.
_ANNOUNCED = re.compile(
    rf"\b(?:{'|'.join(sorted(CIVILITIES | DOCTOR_TITLES | PERSON_TITLES))}|patiente?|enfant|nee?)\.? \Z"
)
_FOLLOWING = re.compile(r"\.?[ \u00a0]([^\W\d_][^\W\d_A-Z]+)[ \u00a0-]?([^\W\d_]?)")
_LONGEST_TITLE = 16
_BEHIND_TITLE = re.compile(
    r"\b(?:m|mme|mlle|mr|dr|pr|docteur|madame|mademoiselle|monsieur|professeur)\.? (0)(?=[^\W\d_]{2})", re.IGNORECASE
)

# "drLux", "chezVirapoullé", "IDELucie": a title, profession or usual word and a name without the blank between.
_GLUED = re.compile(
    r"(?<![\w@.-])(?P<ahead>[a-zà-ÿ]{2,12}|[A-Z][a-zà-ÿ]{1,9}|[A-Z]{1,4})"
    r"(?=(?P<name>[A-ZÀ-Ý][a-zà-ÿ](?:[a-zà-ÿ]|-[A-ZÀ-Ý][a-zà-ÿ])[a-zà-ÿ-]*))(?!\w{0,40}[@.]\w)"
)
_GLUED_SMALL = re.compile(
    r"(?<![\w@./-])(?P<ahead>dr|mr|mme|mlle|melle|docteur|madame|monsieur)(?P<name>[a-zà-ÿ]{4,20})(?![\w@]|\.\w)"
)
_ANNOUNCING = CIVILITIES | DOCTOR_TITLES | PROFESSIONS | KINSHIP | BIRTH | {"avec", "chez", "par"}
_USUAL, _BORNE = 20, 1_000  # uses per million of a word glued to a name; births of a name in small letters


class Legible:
    """A document read legibly: `document` is what detection searches, `restored` returns its mentions to the source."""

    def __init__(self, source: Document) -> None:
        self.source = source
        self._aligned: Aligned = composed(source.text)
        names = _Names(source.patient, is_scanned(self._aligned.text))
        for read in _READERS:
            self._aligned.edit(read(self._aligned.text, names))
        text = self._aligned.text
        self.document = source if text == source.text else replace(source, text=text)

    def restored(self, mentions: Iterable[Mention]) -> tuple[Mention, ...]:
        """Return mentions of `document` with the offsets of the source; two that share a character become one."""
        if self.document is self.source:
            return tuple(mentions)
        result: list[Mention] = []
        for mention in mentions:
            start, end = self._aligned.in_source(mention.start, mention.end)
            if result and start < result[-1].end:
                result[-1] = replace(result[-1], end=max(end, result[-1].end))
            else:
                result.append(replace(mention, start=start, end=end))
        return tuple(result)


class _Names:
    """The names that a disguised word may be: the patient's, and those of the tables."""

    def __init__(self, patient: Patient, scanned: bool) -> None:
        self._patient = patient
        self.scanned = scanned  # whether a scanner read the page

    @cached_property
    def known(self) -> frozenset[str]:
        """Folded words of the patient's names, and each name as one word."""
        parts = {part for name in self._patient.names for part in key(name).split()}
        whole = {key(name).replace(" ", "") for name in self._patient.names}
        return frozenset(word for word in parts | whole if len(word) >= _LEAST_KNOWN)

    def has(self, word: str) -> bool:
        """Return whether a word, folded here, is a name."""
        bare = fold(word)
        if bare in self.known:
            return True
        words = lexicon()
        return len(bare) >= _LEAST and not words.is_word(bare) and (words.is_surname(bare) or words.is_first_name(bare))

    def use(self, word: str) -> float:
        """Return how usual a word is, as a word, a name or a town: about the number of its bearers."""
        bare, words = fold(word), lexicon()
        if bare in self.known:
            return _OWN
        known = _OF_A_WORD if bare in words.medical or bare in words.drugs else 0
        borne = words.surnames.get(bare) + words.first_names.get(bare)
        return max(known, borne, _OF_A_WORD * words.common.get(bare, 0.0), gazetteers().towns(bare))


def _encoded(text: str, _: _Names) -> Iterator[Edit]:
    """Yield remains of encodings that stand for letters and digits, or for a space between two of them."""
    for match in _ENCODED.finditer(text):
        shown = _character(match.lastgroup or "", match.group())
        whole = match.lastgroup == "entity" or (shown == " " and _between_letters(text, match))
        if shown and (whole or all(one.isalnum() or one in "@." for one in shown)):
            yield match.start(), match.end(), shown


def _between_letters(text: str, match: re.Match[str]) -> bool:
    return text[match.start() - 1 : match.start()].isalpha() and text[match.end() : match.end() + 1].isalpha()


def _character(kind: str, written: str) -> str:
    try:
        if kind == "entity":
            shown = html.unescape(written)
            return "" if shown == written else shown
        if kind == "percent":
            return bytes.fromhex(written.replace("%", "")).decode("utf-8")
        if kind == "quoted":
            raw = bytes.fromhex(written.replace("=", ""))
            return raw.decode("utf-8" if len(raw) > 1 else "latin-1")
        if kind == "twice":
            return written.encode("latin-1").decode("utf-8")
        return chr(int(written[2:], 16))
    except UnicodeDecodeError:
        return ""


def _forms(text: str, _: _Names) -> Iterator[Edit]:
    """Yield full-width, mathematical, circled, squared and raised letters, and ligatures."""
    for match in _FORMS.finditer(text):
        yield match.start(), match.end(), "".join(map(_bare_form, match.group()))


def _bare_form(character: str) -> str:
    for first, letter in _SQUARED:
        if first <= ord(character) < first + 26:
            return chr(ord(letter) + ord(character) - first)
    if character in "\ufe0f\u20e3":
        return ""
    return unicodedata.normalize("NFKC", character).translate(_SMALL_CAPITALS)


def _lookalikes(text: str, _: _Names) -> Iterator[Edit]:
    """Yield words of Latin letters mixed with look-alikes of other scripts, and words of look-alikes only."""
    if not _OTHER_SCRIPT.search(text):
        return
    for match in _WORD_WITH_OTHERS.finditer(text):
        word = match.group()
        if len(word) < _LEAST_KNOWN:
            continue
        shown = "".join(_seen_letter(word, at) for at in range(len(word)))
        if shown != word and not _OTHER_SCRIPT.search(shown):
            yield match.start(), match.end(), shown


def _seen_letter(word: str, at: int) -> str:
    letter = word[at]
    if letter in _GREEK_SMALL:
        before, after = word[at - 1 : at] if at else "", word[at + 1 : at + 2]
        if not (before.islower() or after.islower()) or not before or (after and not after.islower()):
            return letter
    return letter.translate(_LOOKALIKES)


def _spelt(text: str, names: _Names) -> Iterator[Edit]:
    """Yield the signs between the letters of a name."""
    taken = 0
    for pattern in (_SPELT, _SPELT_BY_ANYTHING):
        found: list[Edit] = []
        for match in pattern.finditer(text):
            if match.start() >= taken and names.has("".join(filter(str.isalpha, match.group()))):
                found += _signs(match)
        if found:
            yield from found
            return


def _signs(match: re.Match[str]) -> Iterator[Edit]:
    for sign in re.finditer(r"(?:[\W\d_])+", match.group()):
        yield match.start() + sign.start(), match.start() + sign.end(), ""


def _interrupted(text: str, names: _Names) -> Iterator[Edit]:
    """Yield pictures and other rare signs inside a name."""
    for match in _INSIDE.finditer(text):
        before = re.search(r"[^\W\d_]+$", text[max(0, match.start() - 30) : match.start()])
        after = re.match(r"[^\W\d_]+", text[match.end() : match.end() + 30])
        if before and after and names.has(before.group() + after.group()):
            yield match.start(), match.end(), ""


def _code_words(text: str, names: _Names) -> Iterator[Edit]:
    """Yield names spelt in words: "Delta Uniforme Papa…", "D comme Denise, U comme…"."""
    for match in _CODE_WORDS.finditer(text):
        letters = "".join(word[0] for word in re.findall(r"[^\W\d_]+", match.group())).upper()
        if names.has(letters):
            yield match.start(), match.end(), letters
    run: list[re.Match[str]] = []
    for like in _LIKE.finditer(text):
        if run and like.start() - run[-1].end() > 2:
            yield from _likened(text, run, names)
            run = []
        run.append(like)
    yield from _likened(text, run, names)


def _likened(text: str, run: Sequence[re.Match[str]], names: _Names) -> Iterator[Edit]:
    letters = "".join(one[1] for one in run).upper()
    if len(run) >= _LEAST_KNOWN and (names.has(letters) or all(map(_is_called, run))):
        end = run[-1].end()
        yield run[0].start(), end - (text[end - 1] in " ,;/-"), letters


def _is_called(like: re.Match[str]) -> bool:
    """Return whether a letter is told by a first name: "H comme Henri", but not "D comme Disability"."""
    told = fold(like[2])
    return lexicon().is_first_name(told) and told.startswith(fold(like[1]))


def _leet(text: str, names: _Names) -> Iterator[Edit]:
    """Yield names in which digits or signs stand for two letters or more: "B3N4L1", "TE$$IER"."""
    for match in _LEET.finditer(text):
        written = match.group().rstrip("!)")
        for table in _LEET_LETTERS:
            shown = written.replace("|)", "D").translate(table)
            if (
                shown.isalpha()
                and sum(one != two for one, two in zip(shown, written, strict=False)) > 1
                and names.has(shown)
            ):
                lower = any(map(str.islower, written))
                yield match.start(), match.start() + len(written), shown.capitalize() if lower else shown
                break


def _repeated(text: str, names: _Names) -> Iterator[Edit]:
    """Yield the superfluous letters of names in which a letter occurs three times or more in a row."""
    for match in _REPEATED.finditer(text):
        for kept in (1, 2):
            if names.has(_RUN.sub(lambda run, kept=kept: run.group()[:kept], match.group())):  # type: ignore[misc]
                for run in _RUN.finditer(match.group()):
                    if len(run.group()) > kept:
                        yield match.start() + run.start() + kept, match.start() + run.end(), ""
                break


def _irregular_case(text: str, names: _Names) -> Iterator[Edit]:
    """Yield names whose capitals alternate with small letters ("dUpOnT"), as names are written."""
    for match in _WORD.finditer(text):
        word = match.group()
        if word.islower() or word.istitle() or word.isupper():
            continue
        changes = sum(one.islower() and two.isupper() for one, two in pairwise(word))
        if (changes >= 2 or word[0].islower()) and names.has(word):
            yield match.start(), match.end(), word.capitalize()


def _backwards(text: str, names: _Names) -> Iterator[Edit]:
    """Yield names of the patient written backwards."""
    backwards = {word[::-1] for word in names.known if len(word) >= _LEAST}
    if not backwards:
        return
    for match in _WORD.finditer(text):
        if fold(match.group()) in backwards:
            yield match.start(), match.end(), match.group()[::-1]


def _cut(text: str, names: _Names) -> Iterator[Edit]:
    """Yield what cuts a name of the patient in two: the edge of a cell, the end of a line."""
    if "\n" not in text and "\t" not in text:
        return
    lines = fold(text.replace("\t", "\n"))
    for name in names.known:
        if len(name) < _LEAST:
            continue
        halves = "|".join(f"{name[:at]}{_CUT}{name[at:]}" for at in range(1, len(name)))
        for match in re.finditer(rf"(?<!\w)(?:{halves})(?!\w)", lines):
            sign = re.search(_CUT, match.group())
            if sign is not None:
                yield match.start() + sign.start(), match.start() + sign.end(), ""


def _misread(text: str, names: _Names) -> Iterator[Edit]:
    """Yield words with a digit or small l for a letter, of a page that a scanner read."""
    return misread_letters(text, names.use) if names.scanned else iter(())


def _broken(text: str, names: _Names) -> Iterator[Edit]:
    """Yield the blanks within words of such a page."""
    return broken_words(text, names.use) if names.scanned else iter(())


def _hyphened(text: str, _: _Names) -> Iterator[Edit]:
    """Yield the cuts of words at the ends of lines.

    A compound keeps its hyphen and line: two words of the language that are none together, or a second name.
    """
    if "\n" not in text:
        return
    words = lexicon()
    for match in _HYPHENED.finditer(text):
        left, right = match[1], match[2]
        if (town := _cut_town(text, match)) is not None:
            yield match.end(1), match.start(2), town
            continue
        if right[0].isupper() and not left.isupper():
            continue
        whole, rest = fold(left + right), fold(right)
        known = words.is_word(whole) or whole in words.surnames or whole in words.first_names
        if not known and (words.is_word(rest) or (right[0].isupper() and not words.is_unknown(rest))):
            continue
        yield match.end(1), match.start(2), ""


def _glued(text: str, names: _Names) -> Iterator[Edit]:
    """Yield the last letter of a title or usual word that lost the blank before a name, with the blank; "M" as "M."."""
    for match in (*_GLUED.finditer(text), *_GLUED_SMALL.finditer(text)):
        ahead, name, at = fold(match["ahead"]), fold(match["name"]), match.start("name")
        if not names.has(ahead + name) and lexicon().is_unknown(ahead + name) and _is_apart(match, ahead, name, names):
            yield at - 1, at, f"{text[at - 1]}{'.' * (ahead == 'm')} "


def _is_apart(match: re.Match[str], ahead: str, name: str, names: _Names) -> bool:
    """Return whether a word and the name glued to it are two words."""
    words = lexicon()
    if name in names.known:
        return True
    if match["name"].islower():
        return words.surnames.get(name) >= _BORNE
    if words.is_surname(name) or words.is_first_name(name):
        return ahead in _ANNOUNCING or (match["ahead"].islower() and words.common.get(ahead, 0.0) >= _USUAL)
    return ahead in _ANNOUNCING and len(ahead) > 1 and len(name) >= _LEAST and words.is_unknown(name)


def _cut_town(text: str, match: re.Match[str]) -> str | None:
    """Return the sign in place of the cut in a compound town at the end of a line: none or a hyphen; else None."""
    ahead = _COMPOUND_AHEAD.search(text, max(0, match.start() - _COMPOUND_REACH), match.start())
    compound = f"{ahead.group() if ahead else ''}{match[1]}"
    joins = ("", "-") if ahead else ("-",)
    return next((sign for sign in joins if gazetteers().towns(key(f"{compound}{sign}{match[2]}"))), None)


def _titles(text: str, names: _Names) -> Iterator[Edit]:
    """Yield titles without their slip: "Docyeur", "Mosnieur", and "Mme" of which a scanner made "Mrne"."""
    for match in _BEFORE_NAME.finditer(text):
        word = fold(match.group())
        if word[0] not in "dmp" or word in names.known or not lexicon().is_unknown(word):
            continue
        near = ["mme"] if match.group() == "Mrne" else _TITLES.near(word)
        if near and near[0][0] == word[0] and not _is_surname(text, match, near[0]):
            yield match.start(), match.end(), case_of(match.group())(near[0].capitalize())


def _is_surname(text: str, match: re.Match[str], title: str) -> bool:
    """Return whether a word is written where a surname is: "Mr MADAM", "née Madam", "MADAM Kossi".

    In capitals ahead of a surname ("MADAMME Lacaze"), or of a whole name ("DOCYEUR Paul Lacaze"), it is a title.
    """
    if _ANNOUNCED.search(fold(text[max(0, match.start() - _LONGEST_TITLE) : match.start()])):
        return True
    following = _FOLLOWING.match(text, match.end())
    if not match.group().isupper() or following is None or (title != "madame" and following[2].isupper()):
        return False
    name = fold(following[1])
    return lexicon().first_names.get(name) > lexicon().surnames.get(name)


def _zeros(text: str, _: _Names) -> Iterator[Edit]:
    """Yield a zero that opens a surname behind a title: "Mme 0tt"."""
    for match in _BEHIND_TITLE.finditer(text):
        yield *match.span(1), "O"


# In this order: each reads what the one before left.
_READERS: tuple[Callable[[str, _Names], Iterator[Edit]], ...] = (
    _encoded,
    _forms,
    _lookalikes,
    _misread,
    _broken,
    _hyphened,
    _spelt,
    _interrupted,
    _code_words,
    _leet,
    _repeated,
    _irregular_case,
    _backwards,
    _cut,
    _glued,
    _titles,
    _zeros,
)

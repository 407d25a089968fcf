"""Initials, typists' marks and logins: of people named in the document, or at the place of a signature."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deid.detection.lookup.known_names import ABBREVIATIONS, PARTICLES
from deid.detection.refining.overlaps import found_mention
from deid.detection.refining.plain_words import row_label
from deid.detection.text.names import glued
from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import NOT_INITIALS, PROFESSIONS, word_list
from deid.domain.document import Mention
from deid.domain.labels import NAMES, Label
from deid.french.folding import fold

_SOURCE = 0.6  # least score of a mention whose words, initials or logins are searched
_USUAL = 5  # occurrences per million from which a word is no initials
_TIED, _PLACED, _LOGIN = 0.8, 0.7, 0.75  # scores
_ENDS = 400  # characters from either end of a document within which a lone mark is a reference or a signature
_CUES, _NO_MARKS = word_list("cues_of_marks"), NOT_INITIALS | ABBREVIATIONS
# Said of a colleague by his initials: "RC absent la semaine prochaine".
_AWAY = frozenset("absent absente revoit rappelle prend".split())
_CLIPPING = 4  # letters of a name cut short as a mark
_SIGNED = frozenset("edite editee signe signee dicte dictee frappe tape saisi relu relue valide validee".split())
_MARK_EDGES = frozenset({"", "\n", "(", ")", "/", "|", "[", "]", "–", "—", "-", ":", ",", ";"})
_PAIR = re.compile(
    r"(?<![\w/.])([A-Z]{2,4}|[a-z]{2,4}) ?/ ?([A-Z]{2,4}|[a-z]{2,3}|[A-Z]\.)(?=[ \t]*(?:$|[.)–—|]|[ \t]{3}))",
    re.MULTILINE,
)
_TICKED = re.compile(r"(?:\[[ xX]?\]|[☐☑☒□■]) ?\Z")  # "[ ] AT/MP"
_DOTTED = re.compile(r"(?<![\w.])([^\W\d_])\. ?-?(?:([^\W\d_])\. ?)?([^\W\d_])\.(?!\w)")
_REMARKS = frozenset({"nb", "ps", "pai", "ras"})  # "N.B.", "P.S.", "P.A.I.", "R.A.S."
_SAID = re.compile(r"\b(?:signature|signe|frappe|initiales)(?: par)? ([a-z](?: [a-z]){1,3})(?![\w'’-])")
_BRACKETED = re.compile(r" \(([A-Z]{2,3})\)")
# Entries of a record by their day or hour, and two letters that close a line, behind its last sentence or not.
_OPENS_ENTRY = re.compile(
    r"^[ \t>*-]{0,4}(?:\d{1,2}(?: ?[h:]|[/.]\d)|j ?\+? ?\d|(?:lu|ma|me|je|ve|sa|di)[a-z]{0,6}\.? \d)", re.MULTILINE
)
_CLOSING = re.compile(r"(?P<sentence>[.!?])?(?<!\d) (?P<mark>[A-Z]{2}|[a-z]{2})[ \t]*$", re.MULTILINE)
_ROUTES = frozenset("im iv nl po sc sl vo".split())  # of drugs, at the end of a line; and "normal"
_SIGNED_ENTRIES = 2
# "119  UI/ML": a value and its unit, in capitals.
_PER_UNIT = frozenset({"ml", "dl", "mn", "kg", "ui", "mg"})
_MEASURED_IN = re.compile(r"\d\s{0,12}(?:m?u?ui|[mnpµμu]?g|[mnpµμu]mol|m?eq|u)/\Z")
_TIME = 12  # characters of the time of an entry, with the signs and blanks around
_TIMED = re.compile(r"\d{1,2} ?[h:] ?\d\d ?[:–—-]? ?\Z")
_ENTERED = re.compile(r"(?:[^\n]{0,16}\D)?\d{1,2} ?[h:] ?(?:\d\d)?(?:\W[^\n]*[.!?][ \t]+|\W{1,3})")
_ENTRY = re.compile(r" ?[:–—](?! ?[\d<>])")


def find_initials(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """Return `mentions` and, outside them, initials and logins of the people named, and marks of writers."""
    known = _initials(reading, mentions)
    surnames = _rare_surnames(reading, mentions)
    said = [*_spaced(reading, known)]
    mentions = [one for one in mentions if not any(map(one.overlaps, said))]
    covered = reading.coverage(mentions)
    added: list[Mention] = []
    for found in (
        *said,
        *_pairs(reading, known),
        *_dotted(reading, known),
        *_cut_short(reading, mentions),
        *_initials_and_logins(reading, known, surnames),
        *_in_brackets(reading, mentions),
        *_closing_marks(reading, mentions),
    ):
        if not any(covered[found.start : found.end]):
            covered[found.start : found.end] = b"\1" * (found.end - found.start)
            added.append(found)
    return sorted([*mentions, *added])


def _names(reading: Reading, mentions: Sequence[Mention]) -> Iterator[tuple[Mention, list[str]]]:
    for mention in mentions:
        if mention.label in NAMES and mention.score >= _SOURCE:
            yield mention, [reading.words[at] for at in reading.tokens(mention) if reading.words[at].isalpha()]


def _initials(reading: Reading, mentions: Sequence[Mention]) -> dict[str, Label]:
    """Return initials → label of the person: first name first, surname first, with and without particles."""
    known: dict[str, Label] = {}
    for mention, words in _names(reading, mentions):
        for parts in (words, [word for word in words if word not in PARTICLES]):
            if 2 <= len(parts) <= 4 and any(len(word) > 2 for word in parts):
                letters = "".join(word[0] for word in parts)
                for form in (letters, letters[1:] + letters[0], letters[-1] + letters[:-1], letters[0] + letters[-1]):
                    known.setdefault(form, mention.label)
    return known


def _rare_surnames(reading: Reading, mentions: Sequence[Mention]) -> dict[str, Label]:
    """Return the words of names that are no words of the language, with the label of the person."""
    return {
        word: mention.label
        for mention, words in _names(reading, mentions)
        for word in words
        if len(word) > 3 and not reading.lexicon.is_word(word)
    }


def _pairs(reading: Reading, known: dict[str, Label]) -> Iterator[Mention]:
    """Return marks of writer and typist: "FR/mh" or, of somebody named, "fr/MH" at the end of a line."""
    for match in _PAIR.finditer(reading.text):
        near = match.start() < _ENDS or len(reading.text) - match.end() < _ENDS
        parts = [match[group].lower().strip(".") for group in (1, 2)]
        tied = [part in known for part in parts]
        line = reading.line(match.start())[0]
        opens = not reading.text[line : match.start()].strip()
        if _TICKED.search(reading.text, line, match.start()) or (match[1].islower() and not (tied[0] and opens)):
            continue
        if not all(tied) and row_label(reading, line):
            continue
        if not any(tied) and not (near and (match[2].islower() or match.end() - line < 40)):
            continue
        if any(part in _NO_MARKS for part, sure in zip(parts, tied, strict=True) if not sure):
            continue
        for group, part in zip((1, 2), parts, strict=True):
            yield found_mention("initials", *match.span(group), known.get(part, Label.DOCTOR), _PLACED)


def _dotted(reading: Reading, known: dict[str, Label]) -> Iterator[Mention]:
    """Return dotted initials: "S.B." of a person named, or alone on a line near the end."""
    for match in _DOTTED.finditer(reading.text):
        letters = "".join(filter(None, match.groups())).lower()
        if letters in _REMARKS:
            continue
        if letters in known:
            yield found_mention("initials", match.start(), match.end(), known[letters], _TIED)
        elif match[1].isupper() and letters not in NOT_INITIALS:
            start, end = reading.line(match.start())
            near = len(reading.text) - match.end() < _ENDS
            if near and not reading.text[match.end() : end].strip() and match.start() - start < 60:
                before = reading.text[start : match.start()]
                if not before.strip() or before.endswith("  ") or before.endswith("\t"):
                    yield found_mention("initials", match.start(), match.end(), Label.DOCTOR, _PLACED)


def _spaced(reading: Reading, known: dict[str, Label]) -> Iterator[Mention]:
    """Return the initials of a person named that are said one by one: "signature a l c"."""
    for match in _SAID.finditer(reading.folded):
        if (letters := match[1].replace(" ", "")) in known:
            yield found_mention("initials", *match.span(1), known[letters], _TIED)


def _cut_short(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Return small letters behind the last sentence that a professional's name begins with: "man" of "manue"."""
    last = next((at for at in range(len(reading.words) - 1, -1, -1) if reading.words[at].isalpha()), 0)
    word = reading.word(last)
    if reading.word(last - 1) not in (".", "!", "?", "\n") or not 1 < len(word) <= _CLIPPING:
        return
    ends = not any(map(str.isalnum, reading.text[reading.ends[last] :])) and reading.surface(last).islower()
    names = [one for mention, words in _names(reading, mentions) if mention.label is Label.DOCTOR for one in words]
    if ends and any(name.startswith(word) and len(name) >= len(word) + 2 for name in names):
        yield found_mention("initials", reading.starts[last], reading.ends[last], Label.DOCTOR, _PLACED)


def _initials_and_logins(reading: Reading, known: dict[str, Label], surnames: dict[str, Label]) -> Iterator[Mention]:
    lexicon = reading.lexicon
    for index, word in enumerate(reading.words):
        if not word.isalpha():
            continue
        if len(word) <= 4:
            if word in known and len(word) > 1 and _stands_as_mark(reading, index, word):
                yield found_mention("initials", reading.starts[index], reading.ends[index], known[word], _TIED)
            elif _signs_off(reading, index, word):
                yield found_mention("initials", reading.starts[index], reading.ends[index], Label.DOCTOR, _PLACED)
        elif len(word) > 5 and word not in lexicon.common and word not in lexicon.medical:
            if word[1:] in surnames:
                yield found_mention("initials", reading.starts[index], reading.ends[index], surnames[word[1:]], _LOGIN)
            elif not reading.capitals[index] and _is_login(reading, index, word):
                yield found_mention("initials", reading.starts[index], reading.ends[index], Label.DOCTOR, _PLACED)


def _in_brackets(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Return letters in brackets behind a first name alone that begins with the first of them: "Rayan (RB)"."""
    for mention in mentions:
        match = _BRACKETED.match(reading.text, mention.end) if mention.label in NAMES else None
        letters = match[1].lower() if match else ""
        name = reading.folded[mention.start : mention.end]
        if not match or letters[0] != name[0] or not reading.lexicon.is_first_name(name):
            continue
        usual = letters in _NO_MARKS or letters in reading.lexicon.clinical
        if not usual and letters not in PROFESSIONS:
            yield found_mention("initials", *match.span(1), mention.label, _PLACED)


def _closing_marks(reading: Reading, mentions: Sequence[Mention]) -> Iterator[Mention]:
    """Return marks of writers where entries end with one: "Pas dormi, Imovane 3,75. LP", and those again elsewhere."""
    if len(_OPENS_ENTRY.findall(reading.folded)) < _SIGNED_ENTRIES:
        return
    found = [*_CLOSING.finditer(reading.text)]
    written = [reading.text[one.start : one.end] for one in mentions if one.label in NAMES]
    unusual = (one["mark"] for one in found if one["sentence"] and not _says_more(reading, fold(one["mark"])))
    marks = [*unusual, *(one for one in written if re.fullmatch("[A-Z]{2}|[a-z]{2}", one))]
    for one in found if len(marks) >= _SIGNED_ENTRIES else ():
        if one["mark"] in marks:
            yield found_mention("initials", *one.span("mark"), Label.DOCTOR, _PLACED)


def _says_more(reading: Reading, word: str) -> bool:
    return word in NOT_INITIALS or word in _ROUTES or reading.lexicon.common.get(word, 0.0) >= _USUAL


def _stands_as_mark(reading: Reading, index: int, word: str) -> bool:
    """True if initials of a person named stand alone: capitals between edges, or behind a word like "dicté par"."""
    before, after = reading.word(index - 1), reading.word(index + 1)
    written = reading.surface(index)
    if before == ":":
        said = reading.word(index - 2 - (reading.word(index - 2) == "."))  # "réd. :"
        before = said if said in _CUES else before
    if before in _CUES:
        if written.islower() and reading.lexicon.common.get(word, 0.0) >= _USUAL and not reading.lowered(index):
            return False  # "passait par là"
        return after in _MARK_EDGES or after in ("le", "et", ".")
    start = reading.starts[index]
    lower = written.islower() and len(word) > 2 and reading.lexicon.is_unknown(word) and before != "/"
    if not (written.isupper() or lower) or _joined_to_code(reading, index) or _is_defined(reading, index, word):
        return False
    if before in PROFESSIONS and written.isupper() and word not in NOT_INITIALS and word not in PROFESSIONS:
        return True  # "médecin LM"
    if _closes_entry(reading, index):
        return True
    if word in _NO_MARKS:
        return False
    if word in _PER_UNIT and _MEASURED_IN.search(reading.folded, max(0, start - 24), start):
        return False
    left = before in _MARK_EDGES or reading.text[start - 1] in "\t"
    right = after in _MARK_EDGES or reading.text[reading.ends[index] : reading.ends[index] + 1] in ("\t", "")
    if before == "." and len(word) > 2:
        left = len(reading.text) - reading.ends[index] < _ENDS  # signs behind the last sentence: "PBL, sh"
    return left and (right or after in _AWAY)


def _joined_to_code(reading: Reading, index: int) -> bool:
    """True where a hyphen joins letters to a code with a digit or to small letters: "PD-L1", "NT-proBNP"."""
    joined = reading.word(index + 1) == "-" and glued(reading, index + 1) and glued(reading, index + 2)
    behind = reading.text[reading.starts[index + 2] : reading.starts[index + 2] + 3] if joined else ""
    return behind[:1].islower() or any(map(str.isdigit, behind))


def _is_defined(reading: Reading, index: int, word: str) -> bool:
    """True for letters in brackets that abbreviate the words ahead: "pression artérielle (PA)"."""
    if reading.word(index - 1) != "(" or reading.word(index + 1) != ")":
        return False
    ahead = [at for at in range(max(0, index - 2 * len(word) - 1), index - 1) if len(reading.words[at]) > 2]
    said = ahead[-len(word) :]
    loud = [at for at in said if reading.capitals[at]]
    small = loud != said and not any(reading.lexicon.is_first_name(reading.words[at]) for at in loud)
    return small and sorted(reading.words[at][0] for at in said) == sorted(word)


def _closes_entry(reading: Reading, index: int) -> bool:
    """True behind the time of an entry, behind a sentence or dash at the end of its line, or alone on one of the last.

    "15h15 : PC : selles +", "7h30, calme. PC", "... – AV".
    """
    at, text = reading.starts[index], reading.text
    if reading.word(index + 1) not in ("", "\n"):
        timed = _TIMED.search(text, max(0, at - _TIME), at) is not None
        return timed and _ENTRY.match(text, reading.ends[index]) is not None
    start, _ = reading.line(at)
    last = len(text) - at < _ENDS and not reading.word(index + 2).isdigit()
    alone = last and not text[max(start, at - _ENDS) : at].strip()
    entered = at - start < _ENDS and _ENTERED.fullmatch(text, start, at) is not None
    return alone or entered or text.startswith((" – ", " — "), at - 3)


def _signs_off(reading: Reading, index: int, word: str) -> bool:
    """True for letters behind "signé" near the end, and for small ones of no table behind the last sentence."""
    said = reading.word(index - 1 - (reading.word(index - 1) in ("par", ":")))
    closed = reading.word(index + 1) in ("", "\n", ".", "-", "–", "—")
    usual = word in _NO_MARKS or reading.lexicon.common.get(word, 0.0) >= _USUAL
    if usual or len(word) < 2 or len(reading.text) - reading.ends[index] > _ENDS:
        return False
    if said in _SIGNED and closed:
        return True
    last = not any(map(str.isalnum, reading.text[reading.ends[index] :]))
    behind_sentence = reading.word(index - 1) in ("\n", ".", "!", "?") and not glued(reading, index)
    small = reading.surface(index).islower() and word not in reading.lexicon.clinical
    return last and behind_sentence and small and reading.lexicon.is_unknown(word)


def _is_login(reading: Reading, index: int, word: str) -> bool:
    """True if a word in no table is an initial and a surname, where systems write the user of an action."""
    lexicon = reading.lexicon
    borne = lexicon.is_surname(word[1:]) and lexicon.surnames.get(word[1:]) >= 200
    if word in lexicon.surnames or word in lexicon.first_names or not borne:
        return False
    before, after = reading.word(index - 1), reading.word(index + 1)
    return before in ("par", "by", "user", "login", "operateur", "oper") or (
        before in ("\n", "/", "|", "(", "[", "") and (after in _MARK_EDGES or after.isdigit()) and after != "-"
    )

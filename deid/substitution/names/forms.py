"""Written forms of one name in a document: misspelt, abbreviated with a dot, with its particle glued or set apart."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count, pairwise
from typing import NamedTuple

from rapidfuzz.distance import OSA

from deid.domain.labels import Label
from deid.french.articles import is_elided
from deid.french.folding import fold_line, in_case_of
from deid.reference.names import NameTables
from deid.substitution.names import nicknames
from deid.substitution.names.parsing import (
    BETWEEN,
    INITIAL,
    LEADING_PARTICLES,
    ORIGIN,
    PARTICLE,
    WORD,
    NamePiece,
    bare,
    cut_known,
    key_of,
)
from deid.substitution.names.reading import Heard

# Fewest letters of a word that one wrong letter leaves known again: as the patient's, as a usual one, as a rare one
_MISSPELT, _MISSPELT_ELSEWHERE, _MISSPELT_UNKNOWN = 5, 7, 9
_LEAST_BESIDE = 4  # of a word beside the same first name or surname
_LEAST_SCANNED, _LEAST_READ_ALIKE = 4, 6  # of a word that a scanner misread: as its digits or case show, or not
_LEAST_SHORT, _LEAST_LEFT_OUT = 3, 2  # letters of an abbreviation, and letters that it leaves out
_VOWELS = "aeiouyàâäéèêëîïôöùûüœæ"
_ELISION = re.compile(
    r"(?<![^\W\d_])(?:(?P<letter>[dl])['’]|(?<!['’-])(?P<full>de|du|le|la) )(?=[^\W\d_]{2})", re.IGNORECASE
)
_BETWEEN = re.compile("[ '’]")
# What scanners take for one another.
_LETTERS_READ = {"rn": "m", "vv": "w", "cl": "d"}
_SIGNS_READ = str.maketrans("l10586", "iiosbg")


class Dotted(NamedTuple):
    """A word of a name with a dot behind it, by its key; `within`: the sentence goes on behind the dot."""

    word: str
    within: bool


class Forms(NamedTuple):
    """The forms of names in one document.

    `meant` has key as written → key of the name meant. `glued` has the key of a surname written with its particles as
    one word → the particles that its surrogate keeps; `short`, the keys of abbreviations.
    """

    meant: Mapping[str, str]
    glued: Mapping[str, str]
    short: frozenset[str]


def find_forms(
    tables: NameTables, heard: Sequence[Heard], own: frozenset[str], surnames: Sequence[str], dotted: Sequence[Dotted]
) -> Forms:
    """Return the forms of the names that a document writes in more than one way.

    Args:
        tables: names that people bear; what they know is no mistake.
        heard: names of the document.
        own: keys of the words of the patient's names.
        surnames: the patient's surnames, as the warehouse writes them.
        dotted: words with a dot behind them.
    """
    every = Counter((word, one.label is Label.PATIENT) for one in heard for word in one.cut.words)
    # The usual spelling first: of two that no table knows, the rarer is the mistake, else the later.
    ranked = sorted(every, key=lambda one: -every[one])
    times = Counter(word for one in heard for word in one.cut.words)
    here = frozenset(times)
    glued, apart = _glued(heard, here | own, own, surnames)
    short = _abbreviations(tables, times, own, dotted)
    misread = _misread(tables, heard, [word for word, _ in ranked], own)
    typed = [(word, of_patient) for word, of_patient in ranked if word not in {*glued, *apart, *short, *misread}]
    parted = {whole: word for whole, (_, word) in glued.items()}
    meant = {**_beside_one(tables, heard, times), **_misspelt(tables, typed, own, _families(tables, heard)), **misread}
    meant |= {**parted, **apart}
    meant |= {word: meant.get(name, name) for word, name in short.items()}
    return Forms(meant, {whole: particles for whole, (particles, _) in glued.items()}, frozenset(short))


def shortened(surrogate: str, written: str) -> str:
    """Return the surrogate of an abbreviation: about as long, and cut behind a consonant ("Delacr." as "Vass.")."""
    end = min(len(written), len(surrogate) - 1)
    while end > 2 and surrogate[end - 1].casefold() in _VOWELS:
        end -= 1
    return surrogate[: max(end, 2)]


# What letters are told by: "k comme kilo".
_ALPHABET = {
    word[0]: word
    for word in (
        "anatole berthe célestin désiré eugène françois gaston henri irma joseph kléber louis marcel nicolas oscar "
        "pierre quintal raoul suzanne thérèse ursule victor william xavier yvonne zoé"
    ).split()
}
_TOLD = re.compile(r"\b(?P<how>avec|prend|sans)(?: [a-z]+,?){0,5} $")
_TWICE = ("deux ", "double ")
_ABSENT = "hypxzk"  # letters that people say a name lacks


def tells_letter(before: str, written: str) -> bool:
    """Return whether a mention is a letter of the name ahead: "avec un [y]", "avec un [k comme kilo]"."""
    return (len(written) == 1 or written[1:].startswith(" comme ")) and _TOLD.search(before) is not None


def told_letter(before: str, written: str, name: str, surrogate: str) -> str:
    """Return what to tell of a surrogate's letters where a letter of the name, by its key, is told.

    It is the letter at the same end or place, doubled or with an accent as the told one is; or one that both lack.
    """
    letter, other = fold_line(written[0]), surrogate.casefold()
    said = _TOLD.search(before)
    if said and said["how"] == "sans":
        fitting = [one for one in _ABSENT if one not in fold_line(other)]
    else:
        place = name.find(letter)
        doubled = [one for one, following in pairwise(other) if one == following]
        fitting = [
            *((doubled or [one for one in other if other.count(one) > 1]) if before.endswith(_TWICE) else ()),
            *((one for one in other if not one.isascii()) if not written[0].isascii() else ()),
            *(other[-1:] if place == len(name) - 1 else other[max(place, 0) :]),
            *other,
        ]
    drawn = next((one for one in fitting if one.isalpha() and fold_line(one) != letter), _ABSENT[0])
    word = _ALPHABET.get(fold_line(drawn), "") if len(written) > 1 else ""
    return (drawn.upper() if written[0].isupper() else drawn) + (
        f" comme {in_case_of(written.split()[-1], word)}" if word else ""
    )


def ahead_of(particle: str) -> str:
    """Return a particle as it is written ahead of a name: "de ", "d'"."""
    return f"{particle}{' ' if len(particle) > 1 else chr(39)}"


def glue(particles: str, surrogate: str, written: str) -> str:
    """Return a surrogate with its particles as one word, in the case of the word that was written."""
    if not particles:
        return surrogate
    whole = _BETWEEN.sub("", with_elisions(particles + surrogate))
    return whole.upper() if written.isupper() else whole.capitalize()


def with_elisions(written: str) -> str:
    """Return a surrogate whose particles lose their vowel before one, and only there: "de Calland", "d'Orsini"."""

    def spelt(match: re.Match[str]) -> str:
        following = written[match.end() :]
        letter = match["letter"] or match["full"][0]
        if match["full"] is not None:
            return f"{letter}'" if is_elided(following) else match.group()
        if fold_line(following)[:1] in tuple("aeiouyh"):
            return match.group()
        capitals = letter.isupper() and following[:2].isupper()
        return f"{letter}{'E' if capitals else 'e'} "

    return _ELISION.sub(spelt, written)


def _glued(
    heard: Sequence[Heard], words: frozenset[str], own: frozenset[str], surnames: Sequence[str]
) -> tuple[Mapping[str, tuple[str, str]], Mapping[str, str]]:
    """Return what is written as one word and apart: one word → (particles kept, word), and word → one word.

    The warehouse's form of the patient's surname is the one meant, else the one with particles apart.
    """
    glued: dict[str, tuple[str, str]] = {}
    apart: dict[str, str] = {}
    for pieces in (*(cut_known(name).pieces for name in surnames), *(one.cut.pieces for one in heard)):
        for particles, word in _with_particles(pieces):
            whole = bare("".join(piece.text for piece in particles)) + word
            if whole in own and word not in own:
                apart[word] = whole
            elif whole in words and whole not in own:
                kept = "".join(ahead_of(text) for sort, text in particles if sort is PARTICLE)
                glued.setdefault(whole, (kept, word))
    return glued, apart


def _with_particles(pieces: Sequence[NamePiece]) -> Iterator[tuple[Sequence[NamePiece], str]]:
    """Yield the particles ahead of a word, and its key."""
    particles: list[NamePiece] = []
    for piece in pieces:
        if piece.sort is ORIGIN or (piece.sort is PARTICLE and fold_line(piece.text) in LEADING_PARTICLES):
            particles.append(piece)
        elif piece.sort is not BETWEEN:
            if piece.sort is WORD and particles:
                yield particles, key_of(piece.text)
            particles = []


def _abbreviations(
    tables: NameTables, times: Mapping[str, int], own: frozenset[str], dotted: Sequence[Dotted]
) -> Mapping[str, str]:
    """Return abbreviation → name: the patient's that begins so, else the one here; of several, the most frequent."""
    found: dict[str, str] = {}
    for word, within in dotted:
        if len(word) < _LEAST_SHORT or word in own or (_is_known(tables, word) and not within):
            continue
        long = [one for one in {*times, *own} if one.startswith(word) and len(one) >= len(word) + _LEAST_LEFT_OUT]
        ranked = sorted(((one in own, times.get(one, 0), one) for one in long), reverse=True)
        if ranked and (len(ranked) == 1 or ranked[0][:2] != ranked[1][:2]):
            found[word] = ranked[0][2]
    return found


def _misread(
    tables: NameTables, heard: Sequence[Heard], ranked: Sequence[str], own: frozenset[str]
) -> Mapping[str, str]:
    """Return word that a scanner misread → name meant: "POzNOUI", "KOUASS1", "Bemard" of Poinoui, Kouassi, Bernard.

    A digit or the case of one letter show it; else it is one whose letters are read alike.
    """
    odd: dict[str, int | None] = {}  # word → place of its one small letter among capitals, if that shows it
    for one in heard:
        for place, word in one.cut.placed:
            text = one.cut.pieces[place].text
            small = [at for at, letter in enumerate(text) if letter.islower()]
            if len(word) == len(text) >= _LEAST_SCANNED and not (text.isalpha() and len(small) != 1):
                odd[word] = small[0] if len(small) == 1 else None
    names = list(dict.fromkeys((*sorted(own), *(word for word in ranked if word not in odd))))
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(_read_alike(name), []).append(name)
    rank = {word: place for place, word in enumerate(ranked)}
    found: dict[str, str] = {}
    for word in ranked:
        if word in own or not (word in odd or len(word) >= _LEAST_READ_ALIKE) or _is_borne(tables, word):
            continue
        near = alike.get(_read_alike(word), [])
        if (at := odd.get(word)) is not None:
            near = [*near, *(one for one in names if (word[:at], word[at + 1 :]) == (one[:at], one[at + 1 :]))]
        for name in near:
            better = word in odd or name in own or _is_borne(tables, name) or rank[name] < rank[word]
            if better and name != word and len(name) >= _LEAST_SCANNED:
                found[word] = name
                break
    return found


def _read_alike(word: str) -> str:
    """Return a word with one form for what scanners take for one another: "Bemard" as "Bernard"."""
    for letters, read in _LETTERS_READ.items():
        word = word.replace(letters, read)
    return word.translate(_SIGNS_READ)


def _families(tables: NameTables, heard: Sequence[Heard]) -> Mapping[str, frozenset[str]]:
    """Return the words that read as surnames wherever they stand → first names and initials beside them."""
    beside: dict[str, set[str]] = {}
    others: set[str] = set()
    for one in heard:
        initials = {fold_line(text[0]) for sort, text in one.cut.pieces if sort is INITIAL}
        for word, vote, _ in one.votes:
            given = {other for other in one.cut.words if other != word and tables.surname_rather(other) < 0} | initials
            beside.setdefault(word, set()).update(given)
            if len(one.cut.words) - 1 > len(given - initials) or (not given and vote < 0):
                others.add(word)
    return {word: frozenset(given) for word, given in beside.items() if word not in others}


def _agree(given: frozenset[str], other: frozenset[str]) -> bool:
    """Return whether a first name or initial beside two surnames may be one person's."""
    return any(one == two or (1 in (len(one), len(two)) and one[0] == two[0]) for one in given for two in other)


def _misspelt(
    tables: NameTables,
    ranked: Sequence[tuple[str, bool]],
    own: frozenset[str],
    families: Mapping[str, frozenset[str]],
) -> Mapping[str, str]:
    """Return misspelt word → name meant: one of the patient's, else one found here.

    Of shorter surnames, two that no table has are one beside one first name, and those that name the patient are one
    unless first names contradict it.
    """
    words = [one for one in ranked if len(one[0]) >= _MISSPELT]
    known = sorted({word for word, _ in words if len(word) >= _MISSPELT_ELSEWHERE and _is_borne(tables, word)})
    mine = sorted(word for word in own if len(word) >= _MISSPELT)
    here: dict[str, list[tuple[int, str]]] = {}  # end → names found here, each with its place
    places = count()
    for borne in known:
        _add_by_end(here, borne, next(places))
    begun: dict[str, list[str]] = {}
    for borne in (*mine, *known):
        begun.setdefault(borne[:2], []).append(borne)
    by_end: dict[str, list[tuple[int, str, bool]]] = {}
    for place, (word, of_patient) in enumerate(words):
        for end in ends(word) if word in families else ():
            by_end.setdefault(end, []).append((place, word, of_patient))
    found: dict[str, str] = {}
    for rank, (word, of_patient) in enumerate(words):
        unknown = not _is_borne(tables, word)
        if word in own or not (unknown or of_patient):
            continue
        elsewhere = unknown and len(word) >= _MISSPELT_ELSEWHERE
        alike = sorted({one for end in ends(word) for one in here.get(end, ())} if elsewhere else ())
        near = chain(mine, (name for _, name in alike))
        family = sorted({one for end in ends(word) for one in by_end.get(end, ())} if unknown else ())
        of_family = (
            name
            for place, name, patients in family
            if word in families
            and name not in found
            and (place < rank or _is_borne(tables, name))
            and (
                _agree(families[word], families[name])
                or (patients and of_patient and not (families[word] and families[name]))
            )
        )
        name = next((one for one in chain(near, of_family) if _misspells(word, one)), None)
        if name is None and unknown and len(word) >= _MISSPELT_UNKNOWN:
            name = next((one for one in begun.get(word[:2], ()) if _misspells_twice(word, one)), None)
        if name is not None:
            found[word] = name
        elif unknown and len(word) >= _MISSPELT_UNKNOWN:
            _add_by_end(here, word, next(places))
    return found


def _beside_one(tables: NameTables, heard: Sequence[Heard], times: Mapping[str, int]) -> Mapping[str, str]:
    """Return misspelt word → word in its place in the same name: "Rachid Yorkk" beside "Rachid York".

    Where no table has either, the rarer is the mistake, and only a surname: siblings have first names alike.
    """
    beside: dict[tuple[Label, tuple[str, ...]], dict[str, None]] = {}
    for one in heard:
        for place, word in enumerate(one.cut.words) if len(one.cut.words) > 1 else ():
            others = (*one.cut.words[:place], "", *one.cut.words[place + 1 :])
            beside.setdefault((one.label, others), {})[word] = None
    found: dict[str, str] = {}
    for (_, others), names in beside.items():
        given = all(tables.surname_rather(other) < 0 for other in others if other)
        ranked = sorted(names, key=lambda one: (not _is_borne(tables, one), -times[one]))
        for rank, word in enumerate(ranked):
            if _is_borne(tables, word):
                continue
            near = (name for name in ranked[:rank] if name not in found and (given or _is_borne(tables, name)))
            meant = next((name for name in near if len(name) >= _LEAST_BESIDE and _misspells(word, name)), None)
            if meant is not None:
                found[word] = meant
    return found


def _is_borne(tables: NameTables, word: str) -> bool:
    return word in tables.surnames or word in tables.first


def _is_known(tables: NameTables, word: str) -> bool:
    return _is_borne(tables, word) or word in nicknames.NAMES_OF


def _add_by_end(index: dict[str, list[tuple[int, str]]], name: str, place: int) -> None:
    for end in ends(name):
        index.setdefault(end, []).append((place, name))


def ends(word: str) -> tuple[str, str]:
    """Return both ends of a word, one of which a word one letter off shares, from five letters on."""
    return f"{word[:2]}-", f"-{word[-2:]}"


def _misspells(word: str, name: str) -> bool:
    """Return whether a word is one letter off a name; one more at an end makes a login ("hklein"), unless doubled."""
    ahead, behind = word[:1] != word[1:2] and name == word[1:], word[-1:] != word[-2:-1] and name == word[:-1]
    return not (ahead or behind) and OSA.distance(word, name, score_cutoff=1) == 1


def _misspells_twice(word: str, name: str) -> bool:
    """Return whether a word is two letters off a name as long that begins like it."""
    alike = word[:2] == name[:2] and len(name) >= _MISSPELT_UNKNOWN - 1
    return alike and OSA.distance(word, name, score_cutoff=2) == 2

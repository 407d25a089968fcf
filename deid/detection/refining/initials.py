"""Initials, typist's marks and logins: of the people that the document names, or where only a signature stands."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from deid.detection.annotators.context.signatures import NOT_INITIALS
from deid.detection.names import PARTICLES
from deid.detection.reading import Reading
from deid.domain.document import Mention, Vote
from deid.domain.labels import NAMES, Label

_SOURCE = 0.6  # mentions weaker than this name nobody for sure
_TIED, _PLACED, _LOGIN = 0.8, 0.7, 0.75
_ENDS = 400  # characters from either end of a document within which a lone mark refers or signs
_CUES = frozenset(
    "par relu relue valide validee signe dicte frappe saisi saisie tape dact redige vu ref visa by".split()
)
_EDGES = frozenset({"", "\n", "(", ")", "/", "|", "[", "]", "–", "—", "-", ":", ",", ";"})
# Capitals that stand between the same signs as initials and are none; units and measures among them.
_ABBREVIATIONS = frozenset(
    """
    aa ac ad af ah ai al ald alr ap as asa av avc avk bav bb bcg bmi bpm brc bu cat cc cci cd ce cha chc chr chu ci
    cim cl cm cmu cnr co com cp cpam cpk cpr crp cs csf ct cv da dci dg dl dm dn doc dot dr ds dt dv ea ed ee ef eg
    eh em ep er es ett eu ev ext fa fc fe fev fg fid fio fr fsh ga gb gds ge gg gh gm gr gy ha hbs hc hd hdj hdl hdm
    he hep hh hm hp hpv hr hs ht hta hu ia ib ic icd id ifn ige igg igm ii iii im imc inr io ip ipp ir is iso it iv ivd
    ivg ja je ki kt la lat lca lcr ld ldh lh li ll lm ln lp ma mai mb mc md me mg mi mm mmol mn mo mr ms mv nc nd ne ng
    nir nl nn no np nv oap od og oh oms os ot pac pas pc pca pcr pe pet pf pg ph pi pl plt pma po pop pr prn psa psl pt
    pta pu pv qsp ra rad rao rca rcp rdv re rea rf rgo rh rm rs rv sa sap sat sc sd se sep sf sg sh sm smr sn snc sp
    spo ss st stm sv svp ta tc td te tg th tp tr ts tsh tt ttt tv ua ui ulc uv va vac vb vc vd ve vg vgm vhb vhc vih vo
    vp vr vs vt xr
    """.split()
)
_PAIR = re.compile(r"(?<![\w/.])([A-Z]{2,4}) ?/ ?([A-Z]{2,4}|[a-z]{2,3}|[A-Z]\.)(?=[ \t]*(?:$|[.)–—|]))", re.MULTILINE)
_DOTTED = re.compile(r"(?<![\w.])([^\W\d_])\. ?-?(?:([^\W\d_])\. ?)?([^\W\d_])\.(?!\w)")


def find_initials(reading: Reading, mentions: Sequence[Mention]) -> list[Mention]:
    """`mentions` and, outside them, initials and logins of those they name, and marks where writers sign."""
    known = _initials(reading, mentions)
    surnames = _surnames(reading, mentions)
    covered = bytearray(len(reading.text))
    for mention in mentions:
        covered[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
    added: list[Mention] = []
    for found in (*_pairs(reading, known), *_dotted(reading, known), *_words(reading, known, surnames)):
        if not any(covered[found.start : found.end]):
            covered[found.start : found.end] = b"\1" * (found.end - found.start)
            added.append(found)
    return sorted([*mentions, *added])


def _mention(start: int, end: int, label: Label, score: float) -> Mention:
    return Mention(start, end, label, score, None, (Vote("initials", label, score),))


def _names(reading: Reading, mentions: Sequence[Mention]) -> Iterator[tuple[Mention, list[str]]]:
    for mention in mentions:
        if mention.label in NAMES and mention.score >= _SOURCE:
            tokens = range(reading.token_at(mention.start), reading.token_at(mention.end - 1) + 1)
            yield mention, [reading.words[at] for at in tokens if reading.words[at].isalpha()]


def _initials(reading: Reading, mentions: Sequence[Mention]) -> dict[str, Label]:
    """Initials → role of who bears them: first name first, surname first, with and without particles."""
    known: dict[str, Label] = {}
    for mention, words in _names(reading, mentions):
        for parts in (words, [word for word in words if word not in PARTICLES]):
            if 2 <= len(parts) <= 4 and any(len(word) > 2 for word in parts):
                letters = "".join(word[0] for word in parts)
                for form in (letters, letters[1:] + letters[0], letters[-1] + letters[:-1], letters[0] + letters[-1]):
                    known.setdefault(form, mention.label)
    return known


def _surnames(reading: Reading, mentions: Sequence[Mention]) -> dict[str, Label]:
    """Words of names that the language has not."""
    return {
        word: mention.label
        for mention, words in _names(reading, mentions)
        for word in words
        if len(word) > 3 and not reading.lexicon.is_word(word)
    }


def _pairs(reading: Reading, known: dict[str, Label]) -> Iterator[Mention]:
    """Writer and typist: "FR/mh" at the end of a line."""
    for match in _PAIR.finditer(reading.text):
        near = match.start() < _ENDS or len(reading.text) - match.end() < _ENDS
        parts = [match[group].lower().strip(".") for group in (1, 2)]
        tied = [part in known for part in parts]
        if not any(tied) and not (near and (match[2].islower() or match.end() - reading.line(match.start())[0] < 40)):
            continue
        if any(
            part in NOT_INITIALS or part in _ABBREVIATIONS for part, sure in zip(parts, tied, strict=True) if not sure
        ):
            continue
        for group, part in zip((1, 2), parts, strict=True):
            yield _mention(match.start(group), match.end(group), known.get(part, Label.DOCTOR), _PLACED)


def _dotted(reading: Reading, known: dict[str, Label]) -> Iterator[Mention]:
    """ "S.B." of somebody named, or alone on its line near an end."""
    for match in _DOTTED.finditer(reading.text):
        letters = "".join(filter(None, match.groups())).lower()
        if letters in known:
            yield _mention(match.start(), match.end(), known[letters], _TIED)
        elif match[1].isupper() and letters not in NOT_INITIALS:
            start, end = reading.line(match.start())
            near = len(reading.text) - match.end() < _ENDS
            if near and not reading.text[match.end() : end].strip() and match.start() - start < 60:
                before = reading.text[start : match.start()]
                if not before.strip() or before.endswith("  ") or before.endswith("\t"):
                    yield _mention(match.start(), match.end(), Label.DOCTOR, _PLACED)


def _words(reading: Reading, known: dict[str, Label], surnames: dict[str, Label]) -> Iterator[Mention]:
    lexicon = reading.lexicon
    for index, word in enumerate(reading.words):
        if not word.isalpha():
            continue
        if len(word) <= 4:
            if word in known and len(word) > 1 and _placed(reading, index, word):
                yield _mention(reading.starts[index], reading.ends[index], known[word], _TIED)
        elif len(word) > 5 and word not in lexicon.common and word not in lexicon.medical:
            if word[1:] in surnames:
                yield _mention(reading.starts[index], reading.ends[index], surnames[word[1:]], _LOGIN)
            elif not reading.capitals[index] and _logged(reading, index, word):
                yield _mention(reading.starts[index], reading.ends[index], Label.DOCTOR, _PLACED)


def _placed(reading: Reading, index: int, word: str) -> bool:
    """Whether initials of somebody named stand as a mark: capitals between edges, or behind a word that asks."""
    before, after = reading.word(index - 1), reading.word(index + 1)
    written = reading.text[reading.starts[index] : reading.ends[index]]
    if before == ":" and reading.word(index - 2) in _CUES:
        before = reading.word(index - 2)
    if before in _CUES:
        return after in _EDGES or after in ("le", "et", ".")
    if not written.isupper() or word in NOT_INITIALS or word in _ABBREVIATIONS:
        return False
    left = before in _EDGES or reading.text[reading.starts[index] - 1] in "\t"
    right = after in _EDGES or reading.text[reading.ends[index] : reading.ends[index] + 1] in ("\t", "")
    return left and right


def _logged(reading: Reading, index: int, word: str) -> bool:
    """Whether a word in no table is an initial and a surname, where systems write who did something."""
    lexicon = reading.lexicon
    if word in lexicon.surnames or word in lexicon.first_names or not lexicon.is_surname(word[1:]):
        return False
    before, after = reading.word(index - 1), reading.word(index + 1)
    if lexicon.surnames.get(word[1:], 0) < 200:
        return False
    return before in ("par", "by", "user", "login", "operateur", "oper") or (
        before in ("\n", "/", "|", "(", "[", "") and (after in _EDGES or after.isdigit()) and after != "-"
    )

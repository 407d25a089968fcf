"""Language of a document (Braghin et al. 2019, section 4.1): clinical shorthand, lists and capitals count as French.

Names of exams and labels of nomenclatures do not count: consoles and standards give them in English in French files.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING

from deid.detection.text.reading import Reading
from deid.detection.text.vocabulary import word_list

if TYPE_CHECKING:
    from lingua import LanguageDetector

# Function words of French that other languages lack; where they are frequent, no other test is needed.
_FUNCTION_WORDS = word_list("french_function_words")
_WRITTEN = _FUNCTION_WORDS | frozenset("après été être à même très".split())
_USUAL = 0.06  # share of function words from which a text is French
_MIN_WORDS = 25  # least distinct words to tell a language
_SAMPLE = 60  # distinct words of a sample
_SURE = 0.97  # least confidence in another language
_KNOWN = 0.5  # share of words of the French lexicon from which a text is French
_LABELS = re.compile(r"^Type d'examen : .*\n?", re.MULTILINE)  # as the fields of files show them
# Languages of letters to French hospitals.
_LANGUAGES = "ARABIC DUTCH ENGLISH FRENCH GERMAN ITALIAN POLISH PORTUGUESE ROMANIAN RUSSIAN SPANISH TURKISH".split()


def plainly_french(text: str) -> bool:
    """True if French function words are frequent in the text: a fast test, true for nearly every document."""
    words = _LABELS.sub("", text).lower().split()
    return sum(map(_WRITTEN.__contains__, words)) > _USUAL * len(words)


def foreign_language(reading: Reading) -> str | None:
    """Return the ISO 639-1 code of a language other than French; None for French, short or doubtful texts."""
    labels = {at for found in _LABELS.finditer(reading.text) for at in range(*found.span())}
    written = zip(reading.starts, reading.words, strict=True)
    words = [word for start, word in written if len(word) > 1 and word.isalpha() and start not in labels]
    if sum(word in _FUNCTION_WORDS for word in words) > _USUAL * len(words):
        return None
    distinct = list(islice(dict.fromkeys(words), 4 * _SAMPLE))
    if len(distinct) < _MIN_WORDS:
        return None
    lexicon = reading.lexicon
    if sum(lexicon.is_word(word) for word in distinct) > _KNOWN * len(distinct):
        return None
    # The end of the text only, since the letterhead of a foreign letter may be French.
    sample = " ".join(_written(reading, distinct[-_SAMPLE:]))
    best = _detector().compute_language_confidence_values(sample)[0]
    code = best.language.iso_code_639_1.name.lower()
    return code if best.value >= _SURE and code != "fr" else None


def _written(reading: Reading, words: list[str]) -> list[str]:
    """Return `words` with their accents, which tell languages apart."""
    wanted = dict.fromkeys(words, "")
    for start, end, word in zip(reading.starts, reading.ends, reading.words, strict=True):
        if wanted.get(word) == "":
            wanted[word] = reading.text[start:end].lower()
    return list(wanted.values())


@cache
def _detector() -> LanguageDetector:
    # Imported at the first document that is not plainly French; trigrams alone are enough for 60 words.
    from lingua import Language, LanguageDetectorBuilder

    languages = [getattr(Language, name) for name in _LANGUAGES]
    return LanguageDetectorBuilder.from_languages(*languages).with_low_accuracy_mode().build()

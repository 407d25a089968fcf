"""Levels of the ICD-10: code, category of three characters, block and chapter."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Literal, get_args

from deid.domain.errors import InputRefused

Level = Literal["code", "category", "block", "chapter"]
LEVELS: tuple[Level, ...] = get_args(Level)

# First category of each block (CIM-10 FR of the ATIH); a block ends where the next one begins.
_BLOCKS = (
    "A00 A15 A20 A30 A50 A65 A70 A75 A80 A90 B00 B15 B20 B25 B35 B50 B65 B85 B90 B95 B99 C00 C15 C30 C40 C43 C45 C50 "
    "C51 C60 C64 C69 C73 C76 C81 C97 D00 D10 D37 D50 D55 D60 D65 D70 D80 E00 E10 E15 E20 E40 E50 E65 E70 F00 F10 F20 "
    "F30 F40 F50 F60 F70 F80 F90 F99 G00 G10 G20 G30 G35 G40 G50 G60 G70 G80 G90 H00 H10 H15 H25 H30 H40 H43 H46 H49 "
    "H53 H55 H60 H65 H80 H90 I00 I05 I10 I20 I26 I30 I60 I70 I80 I95 J00 J09 J20 J30 J40 J60 J80 J85 J90 J95 K00 K20 "
    "K35 K40 K50 K55 K65 K70 K80 K90 L00 L10 L20 L40 L50 L55 L60 L80 M00 M05 M15 M20 M30 M40 M45 M50 M60 M65 M70 M80 "
    "M86 M91 M95 N00 N10 N17 N20 N25 N30 N40 N60 N70 N80 N99 O00 O10 O20 O30 O60 O80 O85 O94 P00 P05 P10 P20 P35 P50 "
    "P70 P75 P80 P90 Q00 Q10 Q20 Q30 Q35 Q38 Q50 Q60 Q65 Q80 Q90 R00 R10 R20 R25 R30 R40 R47 R50 R70 R80 R83 R90 R95 "
    "S00 S10 S20 S30 S40 S50 S60 S70 S80 S90 T00 T08 T15 T20 T29 T33 T36 T51 T66 T79 T80 T90 U00 U80 V01 V10 V20 V30 "
    "V40 V50 V60 V70 V80 V90 V95 V98 W00 W20 W50 W65 W75 W85 X00 X10 X20 X30 X40 X50 X58 X60 X85 Y10 Y35 Y40 Y60 Y70 "
    "Y83 Y85 Y90 Z00 Z20 Z30 Z40 Z55 Z70 Z80"
).split()
_CHAPTERS = {
    "A00": "I", "C00": "II", "D50": "III", "E00": "IV", "F00": "V", "G00": "VI", "H00": "VII", "H60": "VIII",
    "I00": "IX", "J00": "X", "K00": "XI", "L00": "XII", "M00": "XIII", "N00": "XIV", "O00": "XV", "P00": "XVI",
    "Q00": "XVII", "R00": "XVIII", "S00": "XIX", "U00": "XXII", "V01": "XX", "Z00": "XXI",
}  # fmt: skip
_STARTS = tuple(_CHAPTERS)
# Categories of the CIM-10 FR of the ATIH, as ranges; the category after J99 is K00.
_CATEGORIES = (
    "A00-A09 A15-A28 A30-A44 A46 A48-A60 A63-A71 A74-A75 A77-B09 B15-B27 B30 B33-B60 B64-B83 B85-B92 B94-C26 "
    "C30-C34 C37-C41 C43-C58 C60-C86 C88 C90-C97 D00-D07 D09-D48 D50-D53 D55-D77 D80-D84 D86 D89 E00-E07 E10-E16 "
    "E20-E32 E34-E35 E40-E46 E50-E56 E58-E61 E63-E68 E70-E80 E83-E90 F00-F07 F09-F25 F28-F34 F38-F45 F48 F50-F55 "
    "F59-F66 F68-F73 F78-F84 F88-F95 F98-G14 G20-G26 G30-G32 G35-G37 G40-G41 G43-G47 G50-G64 G70-G73 G80-G83 "
    "G90-H06 H10-H11 H13 H15-H22 H25-H28 H30-H36 H40 H42-H55 H57-H62 H65-H75 H80-H83 H90-H95 I00-I02 I05-I13 I15 "
    "I20-I28 I30-I52 I60-I74 I77-I89 I95 I97-J06 J09-J18 J20-J22 J30-J47 J60-J70 J80-J82 J84-J86 J90-J96 J98-K14 "
    "K20-K23 K25-K31 K35-K38 K40-K46 K50-K52 K55-K67 K70-K77 K80-K83 K85-K87 K90-K93 L00-L05 L08 L10-L14 L20-L30 "
    "L40-L45 L50-L60 L62-L68 L70-L75 L80-L95 L97-M03 M05-M25 M30-M36 M40-M43 M45-M51 M53-M54 M60-M63 M65-M68 "
    "M70-M73 M75-M77 M79-M96 M99-N08 N10-N23 N25-N37 N39-N51 N60-N64 N70-N77 N80-O08 O10-O16 O20-O26 O28-O36 "
    "O40-O48 O60-O75 O80-O92 O94-P05 P07-P08 P10-P15 P20-P29 P35-P39 P50-P61 P70-P72 P74-P78 P80-P81 P83 P90-P96 "
    "Q00-Q07 Q10-Q18 Q20-Q28 Q30-Q45 Q50-Q56 Q60-Q87 Q89-Q93 Q95-R07 R09-R23 R25-R27 R29-R36 R39-R65 R68-R87 "
    "R89-R96 R98-T71 T73-T76 T78-T88 T90-T98 U04 U06-U12 U80-U85 U88-U90 V01-V06 V09-W46 W49-W60 W64-W70 W73-W81 "
    "W83-W94 W99-X06 X08-X54 X57-Y36 Y40-Y66 Y69-Y91 Y95-Y98 Z00-Z04 Z08-Z13 Z20-Z65 Z70-Z76 Z80-Z99"
).split()
_FORM = re.compile(r"[A-Z]\d{2}[\dX+]{0,4}")


def _number(category: str) -> int:
    return 100 * ord(category[0]) + int(category[1:])


_KNOWN = frozenset(
    number for one in _CATEGORIES for number in range(_number(one[:3]), _number(one[-3:]) + 1)
)  # fmt: skip


def checked(code: str) -> str:
    """Return a code in capitals without its point: "i50.1" is I501.

    Characters after the third are checked by their form alone: extensions differ between years and countries.

    Raises:
        InputRefused: it has not the form of an ICD-10 code, or its category does not exist.
    """
    bare = code.strip().upper().replace(".", "")
    if not _FORM.fullmatch(bare):
        raise InputRefused("a code has not the form of ICD-10.", "Give codes such as I501 or I50.1.")
    if _number(bare[:3]) not in _KNOWN:
        raise InputRefused("a code is of no category of ICD-10.", "Give codes of the CIM-10 of the ATIH.")
    return bare


def at_level(code: str, level: Level) -> str:
    """Return the class of a code at a level: I501 is I50, the block I30, the chapter IX.

    A block is named by its first category, a chapter by its Roman numeral.
    """
    if level == "code":
        return code
    category = code[:3]
    if level == "category":
        return category
    if level == "block":
        return _BLOCKS[max(0, bisect_right(_BLOCKS, category) - 1)]
    return _CHAPTERS[_STARTS[max(0, bisect_right(_STARTS, category) - 1)]]

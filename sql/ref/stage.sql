-- name: drop_damaged
-- Grain: one row: the staged rows with damaged characters, which are deleted, and how many rows there were.
-- Purpose: names that were read in another encoding than their own and saved again. In the order of the alternatives:
-- control and replacement characters; UTF-8 read as Latin-1 or Windows-1252, once or twice (“OrlÃ©ans”); its quotes and
-- dashes; signs of Mac Roman, DOS and Windows-1252 that French does not write; “?” within a word; entities of HTML; a
-- capital with an accent between small letters (Latin-1 read as Mac Roman, and the reverse); a symbol within a word.
-- None stands in any name of the files that these bounds come from.
WITH damaged AS (
    DELETE FROM stage
    WHERE stage::text ~ (
        '[\u0080-\u009F\uFFFD]'
        || '|[ÂÃÅ][\u00A0-\u00BF€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]'
        || '|â€'
        || '|[√¬├┬‚ƒ„†‡ˆ‰‹›˜™]'
        || '|[[:alpha:]]\?[[:alpha:]]'
        || '|&#?[[:alnum:]]{2,8};'
        || '|[a-zà-öø-ÿœ][À-ÖØ-ÞŠŽŸ][a-zà-öø-ÿœ]'
        || '|[A-Za-zÀ-ÖØ-öø-ÿ][“”•¢£¤¥¦§¨©®¯±µ¶¸¹¼½¾¿×÷][A-Za-zÀ-ÖØ-öø-ÿ]'
    )
    RETURNING 1
),

counted AS (SELECT count(*) AS rows FROM damaged)

-- A statement sees the table as it was before it began.
SELECT counted.rows, (SELECT count(*) FROM stage) FROM counted;

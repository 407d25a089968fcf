-- Grain: one provider.
-- Purpose: the names that documents are signed with. OMOP keeps first and last name in one field, in no order: what
-- stands before a comma, or in capitals beside other words, is the last name; else the first word is the first name.
SELECT
    p.provider_id::text AS staff_id,
    p.provider_source_value AS rpps,
    CASE
        WHEN p.provider_name LIKE '%%,%%' THEN trim(split_part(p.provider_name, ',', 1))
        WHEN w.others IS NOT NULL AND w.capitals IS NOT NULL THEN w.capitals
        ELSE regexp_replace(p.provider_name, '^\S+\s+', '')
    END AS last_name,
    CASE
        WHEN p.provider_name LIKE '%%,%%' THEN nullif(trim(split_part(p.provider_name, ',', 2)), '')
        WHEN w.others IS NOT NULL AND w.capitals IS NOT NULL THEN w.others
        ELSE nullif(split_part(p.provider_name, ' ', 1), p.provider_name)
    END AS first_name,
    p.specialty_source_value AS role,
    c.care_site_source_value AS service,
    NULL::text AS phone,
    NULL::text AS email
FROM cdw.provider AS p
LEFT JOIN cdw.care_site AS c ON c.care_site_id = p.care_site_id
CROSS JOIN LATERAL (
    SELECT
        string_agg(t.word, ' ' ORDER BY t.place) FILTER (WHERE t.word = upper(t.word) AND length(t.word) > 1)
            AS capitals,
        string_agg(t.word, ' ' ORDER BY t.place) FILTER (WHERE t.word <> upper(t.word)) AS others
    FROM regexp_split_to_table(trim(p.provider_name), '\s+') WITH ORDINALITY AS t (word, place)
) AS w

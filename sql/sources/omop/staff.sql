-- Grain: one provider.
-- Purpose: the names that documents are signed with. OMOP keeps first and last name in one field, first name first.
SELECT
    p.provider_id::text AS staff_id,
    p.provider_source_value AS rpps,
    regexp_replace(p.provider_name, '^\S+\s+', '') AS last_name,
    nullif(split_part(p.provider_name, ' ', 1), p.provider_name) AS first_name,
    split_part(p.specialty_source_value, ' ', 1) AS role,
    nullif(split_part(p.specialty_source_value, ' ', 2), '') AS service,
    NULL::text AS phone,
    NULL::text AS email
FROM cdw.provider AS p

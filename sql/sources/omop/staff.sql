-- Grain: one provider.
-- Purpose: the names that documents are signed with. OMOP keeps first and last name in one field, first name first.
SELECT
    p.provider_id::text AS staff_id,
    p.provider_source_value AS rpps,
    regexp_replace(p.provider_name, '^\S+\s+', '') AS last_name,
    nullif(split_part(p.provider_name, ' ', 1), p.provider_name) AS first_name,
    p.specialty_source_value AS role,
    c.care_site_source_value AS service,
    NULL::text AS phone,
    NULL::text AS email
FROM cdw.provider AS p
LEFT JOIN cdw.care_site AS c ON c.care_site_id = p.care_site_id

-- Grain: one professional of the hospital.
-- Purpose: the names that documents are signed with.
SELECT
    m.staff_id,
    m.rpps,
    m.last_name,
    m.first_name,
    m.role,
    m.service_code AS service,
    m.phone,
    m.email
FROM cdw.staff AS m

-- Grain: one professional of incoming_staff.
-- Purpose: add those that are not there yet.
INSERT INTO cdw.staff (staff_id, rpps, last_name, first_name, role, service_code, phone, email)
SELECT staff_id, rpps, last_name, first_name, role, service_code, phone, email
FROM incoming_staff
ON CONFLICT (staff_id) DO NOTHING

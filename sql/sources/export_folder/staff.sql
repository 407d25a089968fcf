-- sqlfluff:dialect:duckdb
-- Grain: one professional of the hospital.
-- Purpose: the names that documents are signed with. A file of the heading alone is enough.
SELECT
    m.matricule AS staff_id,
    m.rpps,
    m.nom AS last_name,
    m.prenom AS first_name,
    m.fonction AS role,
    m.uf AS service,
    m.telephone AS phone,
    m.courriel AS email
FROM read_csv(
    %(file_root)s || '/personnel.csv',
    delim = ';', quote = '"', escape = '"', header = true, all_varchar = true, encoding = 'latin-1'
) AS m

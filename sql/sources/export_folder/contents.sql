-- sqlfluff:dialect:duckdb
-- Grain: one latest line of the index of a document among document_ids, with what it says of patient and stay.
-- Purpose: everything that detection needs. The document itself is the file that the line names, below the first root
-- of NOCTURNE_FILE_ROOTS. Several lines that differ hold their document back.
WITH listed AS (
    SELECT DISTINCT
        i.*,
        strptime(i.date_export, ['%%d/%%m/%%Y %%H:%%M:%%S', '%%d/%%m/%%Y %%H:%%M', '%%d/%%m/%%Y']) AS exported
    FROM read_csv(
        %(file_root)s || '/index*.csv',
        delim = ';', quote = '"', escape = '"', header = true, all_varchar = true, encoding = 'latin-1'
    ) AS i
    WHERE i.id_document IN %(document_ids)s
    QUALIFY rank() OVER (PARTITION BY i.id_document ORDER BY exported DESC) = 1
)

SELECT
    l.id_document AS document_id,
    CASE WHEN l.taille IS NULL THEN 'line:' ELSE 'size:' || l.taille || ';' END || sha256(l::text) AS content_hash,
    l.ipp AS patient_id,
    l.iep AS stay_id,
    l.type_document AS document_type,
    NULL::text AS loinc_code,
    l.titre AS title,
    l.fichier AS format,
    l.encodage AS charset,
    NULL::blob AS content,
    %(file_root)s || '/' || replace(l.fichier, '\', '/') AS content_path,
    try_strptime(l.date_document, '%%d/%%m/%%Y')::date AS reference_date,
    l.uf AS service,
    try_strptime(l.date_entree, '%%d/%%m/%%Y')::date AS stay_start,
    try_strptime(l.date_sortie, '%%d/%%m/%%Y')::date AS stay_end,
    l.nom AS last_name,
    l.nom_naissance AS birth_name,
    string_split_regex(l.prenoms, '[ ,]+') AS first_names,
    l.sexe AS sex,
    coalesce(strftime(try_strptime(l.date_naissance, '%%d/%%m/%%Y'), '%%Y-%%m-%%d'), l.date_naissance) AS birth_date,
    [l.adresse] AS addresses,
    l.code_postal AS zip,
    l.ville AS city,
    [l.telephone] AS phones,
    [l.courriel] AS emails,
    l.ipp,
    l.iep AS nda,
    l.nir
FROM listed AS l

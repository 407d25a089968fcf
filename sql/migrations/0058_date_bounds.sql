-- Nothing past becomes future: the last days that a patient's dates may be published on belong to the first time that
-- an episode was substituted, and are kept, so that whatever is published later or again keeps its text.

-- Grain: one episode (a stay and class of its length, or a quarter of a year) or birth date of a patient, by a digest
-- under the secret. `latest`: the last day that it may be published on; of an episode, the day before a period of
-- visibility.
CREATE TABLE deid.date_bound (
    digest text PRIMARY KEY,
    latest date NOT NULL
);
GRANT SELECT, INSERT ON deid.date_bound TO nocturne_worker;

COMMENT ON COLUMN research.document.reference_date IS
'Date du document, déplacée du décalage aléatoire du patient (avec son séjour sous la stratégie episodes ; avec un '
'bruit propre sous document_date: metric), qui peut être nul ; sous generalise, milieu du mois ou de l''année vrais. '
'Les dates du texte ont en plus leur propre bruit, sauf sous uniform_shift. Sous episodes, elle précède la période où '
'le texte a pu être lu. Null sans date. / Date of the document, '
'moved by the patient''s random shift (with the stay under strategy episodes; with noise of its own under '
'document_date: metric), which may be zero; under generalise the middle of the true month or year. Dates of the text '
'have noise of their own besides, but under uniform_shift. Under episodes it lies before the period in which the text '
'could first be read. Null without a date.';

-- Marks of a person on a quarantined document: what detection missed, in offsets of the source; never a text.

-- `marks`: [start, end, label] of each passage, for a `retry`. `characters`: length of the text that they were made on;
-- they hold for that content and length only. `read_mentions`: mentions of the run that a person saw when he or she had
-- read the whole document, which then joins the annotated ones; null otherwise.
ALTER TABLE deid.quarantine_choice
ADD COLUMN marks jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(marks) = 'array'),
ADD COLUMN characters int,
ADD COLUMN read_mentions int CHECK (read_mentions >= 0);
CREATE INDEX quarantine_choice_marked ON deid.quarantine_choice (document_id)
WHERE undone_at IS NULL AND (marks <> '[]' OR read_mentions IS NOT NULL);

-- Figures of a review that must outlive its texts, and quick lists of what a person reads.

-- How many surrogates a document of a review holds: its spans are erased when the review is closed.
ALTER TABLE deid.review_document ADD COLUMN surrogates int NOT NULL DEFAULT 0 CHECK (surrogates >= 0);

CREATE INDEX review_reading_reader ON deid.review_reading (reader, review_id);
CREATE INDEX review_document_kept ON deid.review_document (review_id) WHERE text IS NOT NULL;

-- Grain: one reader of one document of a review. Purpose: the person has opened it; a second time changes nothing.
INSERT INTO deid.review_reading (review_id, ordinal, reader)
VALUES (%(review_id)s, %(ordinal)s, %(reader)s)
ON CONFLICT DO NOTHING

-- What people let through, which is little, without reading every result of every document of an interval.
CREATE INDEX verdict_waived ON deid.verdict (run_id, document_id) WHERE waived;

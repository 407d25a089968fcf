-- How often the durations that a text says still agree with its dates, once these have moved: counts, no value.

-- Null until surrogates are drawn. `durations` agreed with the true dates; `durations_lost` of them do not any more.
ALTER TABLE deid.document
ADD COLUMN durations int,
ADD COLUMN durations_lost int;

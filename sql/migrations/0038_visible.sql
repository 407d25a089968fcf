-- Figures tell what researchers read now from what the next rewriting shows: the month is null until then.

GRANT SELECT (visible_from) ON deid.published_document TO nocturne_steward;

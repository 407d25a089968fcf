"""Publication: releases and visibility, evaluations of releases, links of other tables to published patients."""

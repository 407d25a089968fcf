"""Publication: releases and visibility, links of other tables to published patients."""

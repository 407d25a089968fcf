"""NIR, IPP, NDA, RPPS and ID."""

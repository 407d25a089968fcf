"""Training of transformer taggers from an own or a published encoder, and the search for settings."""

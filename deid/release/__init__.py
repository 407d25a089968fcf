"""Release of staged intervals: rules of approval, people's decisions, publication, and the status shown to stewards."""

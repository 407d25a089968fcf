"""What stewards see and decide, without a page: figures, reviews, choices on quarantine, oppositions, audit trail."""

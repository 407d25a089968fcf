"""PATIENT, DOCTOR and PERSON: drawn names that keep families, gender, frequency and form."""

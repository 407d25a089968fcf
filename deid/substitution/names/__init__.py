"""PATIENT, DOCTOR and PERSON: names drawn so that families, gender, frequency and shape are kept."""

"""ICD-10 coding of stays: what de-identification does to the codes that can be learned from texts.

Tchouka et al. 2022, section 5.3, and Couchot 2023.
"""

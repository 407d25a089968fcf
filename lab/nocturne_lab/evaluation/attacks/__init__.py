"""Attacks on the surrogates of each strategy, by an attacker with the published texts, the policy and public data.

document_dates     true and published dates of documents
reidentification   documents matched by intervals (Tchouka et al. 2022), patients linked by known dates
averaging          one date or commune over many documents
commune_laws       distributions of the place strategies; city_posterior and exclusions use them
known_types        patients found by the types of the documents of known stays, by what research shows of these
read_structure     types and stays read back from published texts
surnames           surnames matched by frequency rank
parrot             leaks planted among surrogates and looked for (planted, tells)
sampled            attacks on a sample of a release, against its originals
membership         documents that a model learned from, by its loss on them
usefulness         utility of the published data for research
published_epsilon  a lower bound of ε from published texts
study, report, plots  all attacks, as Markdown and figures
"""

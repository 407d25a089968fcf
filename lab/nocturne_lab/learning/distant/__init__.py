"""Distant supervision (El Azzouzi et al. 2024): annotated corpora from a hospital's own data, without an annotator.

functions     labelling functions: what the warehouse and open data know, each voting by itself
aggregation   one label per token from the votes, with a confidence
corpus        the Parquet corpus, in constant memory, split by patient
statistics    numbers of the paper's tables
"""

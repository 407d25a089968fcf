"""Worth of published texts for research, and how much they read like originals; no model is trained beforehand.

facts     counts of what each document keeps: relations of dates, ages, stays, places, clinical terms and values
wording   perplexity, and a classifier that tells original from published texts
measures  `measure`: every measure of a set of documents, with its interval over patients
"""

from nocturne_lab.evaluation.utility.facts import Pair
from nocturne_lab.evaluation.utility.measures import Measure, measure

__all__ = ["Measure", "Pair", "measure"]

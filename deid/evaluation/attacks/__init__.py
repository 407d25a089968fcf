"""Attacks on the product's own surrogates: what each strategy is worth against who has them and public data."""

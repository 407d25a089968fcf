"""Masking providers that a policy may choose per label (Braghin et al. 2019) in the stead of the product's own rooms.

    covering      blocks of one width, or nothing
    numbering     the label and a number per value: EMAIL-0
    hashing       a keyed digest
    truncating    the beginning of a post code or number, the year of a date
    shifting      numbers moved by one keyed offset
    randomising   other characters of the same classes

`deid.config.generators` says which may write which label. One is made per document, with the dossier and its options,
and writes one mention at a time: it is a `deid.substitution.drafts.Room`.
"""

from deid.substitution.generators.loading import Providers, load

__all__ = ["Providers", "load"]

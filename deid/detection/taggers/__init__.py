"""Learned taggers: features of tokens, tags, the linear-chain CRF and the BiLSTM-CRF."""

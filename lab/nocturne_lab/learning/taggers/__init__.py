"""Training of the shipped taggers: the CRF and the BiLSTM-CRF."""

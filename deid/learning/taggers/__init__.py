"""Training of the taggers that ship: the CRF and the BiLSTM-CRF."""

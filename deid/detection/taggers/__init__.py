"""What the learned taggers share: what a token shows them, the linear chain, and the models that ship."""

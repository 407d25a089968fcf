"""Locks of what the product installs, with the hashes of every file, and their audit."""

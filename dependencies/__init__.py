"""What the product installs: locks with the hashes of every file, and their audit."""

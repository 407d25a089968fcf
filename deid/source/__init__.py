"""The hospital's warehouse as a source: contract, links to its database, rows, contents and files. Read only."""

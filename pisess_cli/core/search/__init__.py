"""Queries, patterns, and the search for them and for likely secrets through many files.

Here belong regular expressions, the byte sieves that rule lines out, ripgrep, and the hits.
May import: errors, format, storage, tree.
"""

"""The tree that the entries of one session form.

Here belong parents and children, paths, history, references between entries and pairs of tool calls and results.
May import: errors, format.
"""

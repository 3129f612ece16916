"""What is told about sessions: comparisons, usage, statistics, outlines, tables, excerpts.

Here belongs what turns entries into rows and records for a view or a data file. It writes no session.
May import: errors, format, storage, tree, context, search, session, store.
"""

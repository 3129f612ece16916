"""Other files made from one session: pruned, redacted, repaired; fsck and its findings.

Here belongs what reads a session and writes a changed copy, and what says what is wrong with a file.
May import: errors, format, storage, tree, context, search, session, store.
"""

"""What pisess appends to a session: entries, labels, names, context edits, compactions, moves of the leaf, undo.

Here belongs one function for each change; it is given an appender, and writes through that alone.
May import: errors, format, storage, tree, context, search, session.
"""

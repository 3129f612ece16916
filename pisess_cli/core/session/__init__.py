"""One session as the commands use it: its entries, its names, its revisions, and appending to it.

Here belong the open session, the appender, revisions, branches, the reflog and the list of labels.
May import: errors, format, storage, tree, context, search.
"""

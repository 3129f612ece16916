"""The directory of sessions: settings, which directory, selectors, the list, new sessions, forks, moves.

Here belongs what concerns more than one session file, or where a session file is.
May import: errors, format, storage, tree, context, search, session.
"""

"""The format of a session file: bytes, JSON as JavaScript sees it, the header and the entries.

Here belongs what a line holds and how one is written: codec, fields, versions, times, ids, the text of an entry.
Nothing here opens a file or knows of other entries.
May import: errors.
"""

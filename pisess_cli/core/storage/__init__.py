"""Session files on disk: read whole, from their end or in blocks, and put there whole or not at all.

Here belongs what opens, locks, caches or moves a file, and the worker processes that read many.
May import: errors, format.
"""

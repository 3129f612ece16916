"""What the model gets: projection, tokens, explanation, and what a compaction or a branch summary makes of it.

Here belong Pi's rules on messages, compactions, context edits and the prompts for summaries. Nothing here writes.
May import: errors, format, tree.
"""

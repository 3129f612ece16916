"""What several commands do alike: have a text edited, get a summary, move the leaf."""

"""What pisess knows of session files: no terminal, no click, no rich."""

"""How things look: what core found, put into words, lines and tables; no session file is opened here."""

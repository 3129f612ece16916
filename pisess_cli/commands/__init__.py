"""One module a command: it parses, calls the core and shows what came back."""

"""pisess: Git for the session files of the Pi coding agent."""

__version__ = "0.1.0"

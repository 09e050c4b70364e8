"""The version, for everyone who writes it into something."""

__version__ = "0.2.0"

"""Reproductions of published tables, each by one command that writes what it measured."""

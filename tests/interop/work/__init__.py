"""Ordinary work of a client, written once for each library, so that each reads what all others have written."""

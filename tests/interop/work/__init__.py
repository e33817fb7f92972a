"""Ordinary work of a client, once for each library, so that all read what each wrote."""

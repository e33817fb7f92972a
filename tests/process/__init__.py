"""Clients during fork, signals and exit of their process; each test runs a process of its own."""

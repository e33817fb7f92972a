"""Awaitables that are cancelled at every possible moment: no record is lost, doubled or left behind."""

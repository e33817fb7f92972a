"""Awaitables that are given up at every moment there is; a history tells whether anything was lost, doubled or left."""

"""Tests of kafkars as its users see it: a folder for each kind of test, and fixtures for all of them in conftest.py."""

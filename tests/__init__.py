"""Tests of kafkars as its users see it: a folder for each kind of question, and fixtures for all in conftest.py."""

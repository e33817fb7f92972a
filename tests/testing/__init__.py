"""Tests of kafkars.testing: the embedded broker, its fault injection, its clock, its pytest plugin."""

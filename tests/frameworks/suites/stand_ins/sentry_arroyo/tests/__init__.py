"""Stands in for the helpers of its tests."""

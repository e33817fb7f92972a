"""For sentry-arroyo, whose distribution brings the files `test_*.py` only."""

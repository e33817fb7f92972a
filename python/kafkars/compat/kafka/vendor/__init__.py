"""Libraries inside kafka-python 2 (`kafka.vendor`), as far as programs import them from there."""

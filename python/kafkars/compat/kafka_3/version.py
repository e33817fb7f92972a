"""The version of kafka-python this face follows."""

__version__ = "3.0.12"

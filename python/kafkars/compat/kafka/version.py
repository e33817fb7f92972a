"""The version of kafka-python this face follows."""

__version__ = "2.3.3"

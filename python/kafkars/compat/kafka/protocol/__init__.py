"""The wire format, as far as programs of kafka-python use it (`kafka.protocol`): responses of administration, and basic
types.

The engine makes requests itself: nothing here is sent.
"""

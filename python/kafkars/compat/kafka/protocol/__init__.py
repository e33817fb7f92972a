"""The wire format, as far as programs of kafka-python name it (`kafka.protocol`): answers of administrators, and basic
types.

Requests themselves are the engine's: nothing here is sent.
"""

"""Three real Kafka brokers that are killed, paused and cut off: no acknowledged record is lost.

`make test-chaos` is the short form and a part of `make test`; `make chaos` is the long one.
"""

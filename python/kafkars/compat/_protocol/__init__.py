"""Kafka's wire format in Python, for faces whose libraries show it to programs: `kafka.protocol`, `aiokafka.protocol`.

The clients themselves use the engine's. This is for what a program decodes or encodes by itself.
"""

"""Behaviour of the clients, sync and asyncio, on the embedded broker and on real Kafka: one file for each feature."""

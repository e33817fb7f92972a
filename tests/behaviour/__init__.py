"""What the clients do, sync and asyncio, on the embedded broker and on real Kafka: one file for each verb or
promise."""

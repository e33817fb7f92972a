"""Security against real Kafka, and against peers that hang or lie."""

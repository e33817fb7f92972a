"""Programs for confluent_kafka."""

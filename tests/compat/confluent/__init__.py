"""The confluent_kafka face and confluent_kafka itself, side by side on one broker."""

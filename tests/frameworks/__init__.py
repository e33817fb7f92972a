"""Frameworks that use aiokafka, confluent_kafka or kafka-python, run on the faces of kafkars.compat."""

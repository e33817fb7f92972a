"""Frameworks that sit on aiokafka and confluent_kafka, on the faces of kafkars.compat."""

"""kafkars.spark: options and ranges by themselves; source and sink on a real Spark and Kafka, beside Spark's own
connector."""

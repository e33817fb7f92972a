"""Programs for aiokafka and confluent_kafka, each run on the original and on the face, whose outcomes are compared."""

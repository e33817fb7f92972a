"""Programs written for aiokafka and confluent_kafka, each run on the original and on the face, and what they tell
compared."""

"""Programs for aiokafka."""

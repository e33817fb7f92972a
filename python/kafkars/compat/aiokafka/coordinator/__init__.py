"""Groups (`aiokafka.coordinator`)."""

"""Ways to share partitions among the members of a group (`aiokafka.coordinator.assignors`)."""

"""The sticky assignor (`aiokafka.coordinator.assignors.sticky`)."""

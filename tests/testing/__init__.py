"""The test kit that users have, kafkars.testing: the embedded broker, its faults, its clock, its pytest plugin."""

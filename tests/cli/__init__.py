"""The `kafkars` command, run as a program with pipes and signals."""

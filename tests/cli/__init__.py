"""The `kafkars` command, run as a process with pipes and signals."""

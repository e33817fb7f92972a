"""Limits on memory, time and connections, of clients and of the embedded broker, measured in processes of their own."""

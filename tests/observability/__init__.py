"""Metrics, traces and log lines: what operators see of clients."""

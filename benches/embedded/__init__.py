"""Figures of the embedded broker."""

"""Applications of frameworks, run as programs in the frameworks' own environment."""

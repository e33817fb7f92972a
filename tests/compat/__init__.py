"""The faces of kafkars.compat beside the libraries they stand in for."""

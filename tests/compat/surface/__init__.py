"""The public surfaces of the libraries that kafkars.compat stands in for, as tables, and what checks a library against
them."""

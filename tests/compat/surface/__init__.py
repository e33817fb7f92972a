"""The public names of the libraries that have a face, as tables, and the check of a library against them."""

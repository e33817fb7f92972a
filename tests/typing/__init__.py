"""Code that users' type checkers must accept or refuse."""

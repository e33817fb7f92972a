"""The wheel as a user installs it: built, put into an empty environment of each declared Python, and used there."""

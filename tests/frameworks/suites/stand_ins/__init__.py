"""Modules that a suite's tests import and its source distribution leaves out, written for this purpose."""

//! The Python extension module of kafkars.

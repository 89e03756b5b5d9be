"""The program around the library: verification and the command line."""

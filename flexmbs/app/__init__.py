"""The program around the library: case files and the command line."""

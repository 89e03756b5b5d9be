"""What readers of several formats share: numbers in text, numbering, blocks of elements, included files."""

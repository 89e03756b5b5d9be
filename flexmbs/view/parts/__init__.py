"""What a scene shows, independent of what draws it: parts, links between marks, colours, symbols of joints."""

"""From the file of an FE tool to a Mesh; operations and checks on meshes."""

"""One HTML page that shows a result, a reduced body or a mesh, without network: what it holds and how it is encoded."""

"""A client for any memory server that has Graphiti's MCP tools, ours or another."""

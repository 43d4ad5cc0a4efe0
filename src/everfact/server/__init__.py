"""The MCP server: tools, resources and prompts over one `Memory`. The only folder that imports the MCP SDK."""

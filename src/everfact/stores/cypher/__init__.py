"""The store for graph servers, FalkorDB and Neo4j, beside what Graphiti keeps there."""

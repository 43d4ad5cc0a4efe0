"""From a clause to drafts of statements: one module for each way in which English says such things."""

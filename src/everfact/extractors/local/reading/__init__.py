"""From a text to clauses: sentences, words and their classes, names, values, phrases. Nothing here knows a relation."""

"""Which documents are versions of one another, and which of them holds. Pure."""

"""Retrievers for other frameworks, over the HTTP API. Each imports its framework only when it is used."""

"""One use case a module. Services know the ports, never an adapter."""

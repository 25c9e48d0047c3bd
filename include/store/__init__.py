"""The index behind the port: layout, checks, and one adapter per engine. The only importer of the Qdrant packages."""

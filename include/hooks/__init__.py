"""What a source may tell us: is it the source that speaks, and which documents does it name. No framework here."""

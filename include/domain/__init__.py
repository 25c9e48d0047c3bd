"""The words of the glossary as types. Standard library only; imports nothing of truecopy but itself."""

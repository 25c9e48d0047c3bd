"""What truecopy writes down: manifests of runs, people's decisions, fences of removed documents."""

"""Which indexed documents look out of date, and why. Pure: the detector proposes with evidence, people decide."""

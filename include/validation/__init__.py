"""Great Expectations suites at the two places where foreign data enters a decision: the listing and the index audit."""

"""Other clients and Java's tools on the same topics and in the same groups as kafkars, in both directions."""

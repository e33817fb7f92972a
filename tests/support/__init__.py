"""What several kinds of tests share: clusters, clients of both flavours, strange peers, waiting."""

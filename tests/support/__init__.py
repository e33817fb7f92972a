"""Helpers for several kinds of tests: clusters, clients of both flavours (sync and asyncio), strange peers, waiting."""

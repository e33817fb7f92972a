"""Every awaitable of the asyncio clients, awaited in every way that asyncio has: gather, wait_for, shield and
others."""

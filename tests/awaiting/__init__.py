"""Every awaitable of the asyncio clients, waited for in every way that asyncio has."""

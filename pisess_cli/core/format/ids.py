"""New ids: of entries (8 hex digits), and of sessions (UUID version 7)."""

import os
import uuid
from collections.abc import Callable, Container, Iterator

from pisess_cli.core.format.times import now_ms


def derived_ids(seed: str) -> Iterator[str]:
    """Endless ids of 8 hex digits, the same ones for the same seed."""
    from hashlib import sha256

    count = 0
    while True:
        yield sha256(f"{seed}\n{count}".encode("utf-8", "surrogatepass")).hexdigest()[:8]
        count += 1


def new_id(taken: Callable[[str], bool] | Container[object]) -> str:
    """A new entry id: 8 hex digits that are not taken; a whole UUID if a hundred tries all were (PI_DETAILS G2)."""
    from uuid import uuid4

    is_taken = taken if callable(taken) else taken.__contains__
    for _ in range(100):
        candidate = str(uuid4())[:8]
        if not is_taken(candidate):
            return candidate
    return str(uuid4())


def uuid7() -> str:
    """A new UUID of version 7 (RFC 9562): 48 bits of milliseconds, then version, variant and random bits."""
    random = int.from_bytes(os.urandom(10), "big")
    value = now_ms() << 80 | random
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return str(uuid.UUID(int=value))

"""UUIDs of version 7, which sort by their time; Python has them from 3.14 on."""

import os
import uuid

from pisess_cli.core.times import now_ms


def uuid7() -> str:
    """A new UUID of version 7 (RFC 9562): 48 bits of milliseconds, then version, variant and random bits."""
    random = int.from_bytes(os.urandom(10), "big")
    value = now_ms() << 80 | random
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    return str(uuid.UUID(int=value))

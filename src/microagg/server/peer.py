"""The user of this computer who sent a request, if the operating system can tell.

The address that opens the page carries a token, and a browser that is started with it shows it in the
list of processes, which every user can read. A cookie of 127.0.0.1 is sent to all ports of that
address, also to the server of another user. So secrets alone do not keep other users out. On Linux, the
table of connections names the user who owns each end, and that cannot be forged.
"""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
"""The connections of this computer, one per line: both ends, a state, and the user."""

ESTABLISHED = "01"
GONE = -1
"""The user of a client that has closed its end, for which the system names root."""

End = tuple[str, int]
"""The address and the port of one end of a connection."""


def is_foreign(client: End | None, server: End | None) -> bool:
    """Return whether a connection comes from another user of this computer.

    Root is not foreign: an administrator can read everything anyway. A connection from another
    computer, and one on a system without such a table, is not foreign either. A client that is gone
    is foreign, because nobody can tell whose it was.
    """
    if client is None or server is None or not hasattr(os, "getuid"):
        return False
    user = user_of(client, server, _lines())
    return user not in (None, 0, os.getuid())


def user_of(client: End, server: End, lines: Iterable[str]) -> int | None:
    """Return the user whose process is the client of a connection, or None if the tables do not contain it.

    Examples
    --------
    >>> line = "1: 0100007F:C350 0100007F:1F90 01 00000000:00000000 00:00000000 00000000 1000 0 7"
    >>> user_of(("127.0.0.1", 50000), ("127.0.0.1", 8080), [line])
    1000
    >>> user_of(("127.0.0.1", 50001), ("127.0.0.1", 8080), [line])
    """
    wanted = (_plain(client), _plain(server))
    ports = (f":{client[1]:04X}", f":{server[1]:04X}")
    for line in lines:
        fields = line.split()
        near, far = fields[1:3]
        if near.endswith(ports[0]) and far.endswith(ports[1]) and (_end(near), _end(far)) == wanted:
            return int(fields[7]) if fields[3] == ESTABLISHED else GONE
    return None


def _lines() -> Iterator[str]:
    """Yield the lines of the tables of this system, without headings."""
    for table in TABLES:
        try:
            yield from table.read_text(encoding="ascii").splitlines()[1:]
        except OSError:
            continue


def _end(text: str) -> End:
    """Return the address and the port of an entry such as 0100007F:1F90."""
    address, _, port = text.partition(":")
    words = [bytes.fromhex(address[i : i + 8])[::-1] for i in range(0, len(address), 8)]
    return _plain((str(ipaddress.ip_address(b"".join(words))), int(port, 16)))


def _plain(end: End) -> End:
    """Return an end with its address in one form; an IPv4 address within IPv6 is an IPv4 address."""
    try:
        address = ipaddress.ip_address(end[0].partition("%")[0])
    except ValueError:
        return end
    inner = getattr(address, "ipv4_mapped", None)
    return str(inner or address), end[1]

"""Start the server on the loopback interface and open the page."""

from __future__ import annotations

import ipaddress
import signal
import socket
import threading
import webbrowser
from collections.abc import Callable
from types import FrameType

import uvicorn

from microagg.errors import FileError, ParameterError
from microagg.server.app import Config, Server, build
from microagg.server.security import Access

LOOPBACK = "127.0.0.1"
EVERYWHERE = ("0.0.0.0", "::")
BACKLOG = 64


def serve(
    config: Config,
    *,
    host: str = LOOPBACK,
    port: int = 0,
    browser: bool = True,
    announce: Callable[[str], None] = print,
) -> None:
    """Serve the page until it is interrupted.

    Parameters
    ----------
    config : Config
        The file, the uploads and the limits.
    host : str
        The address to listen on. Any address but the loopback interface opens the page to others
        who have its token.
    port : int
        The port; 0 takes a free one.
    browser : bool
        Whether the page is opened.
    announce : callable
        Given the address, with its token, once the server can be reached.
    """
    listener = _listener(host, port)
    bound = listener.getsockname()[1]
    access = Access(_hosts(host, bound))
    server = Server(config)
    address = f"http://{_bracketed(LOOPBACK if host in EVERYWHERE else host)}:{bound}"
    address = f"{address}/?token={access.token}"
    announce(address)
    if browser:
        threading.Timer(0.1, webbrowser.open, [address]).start()
    settings = uvicorn.Config(
        build(server, access),
        access_log=False,
        log_level="critical",
        server_header=False,
        timeout_graceful_shutdown=2,
        ws="none",
        proxy_headers=False,
    )
    try:
        _PageServer(settings, server).run(sockets=[listener])
    except KeyboardInterrupt:
        pass  # uvicorn raises it again once it has shut down
    finally:
        server.workspace.remove()
        listener.close()


class _PageServer(uvicorn.Server):
    """A server that also shuts down cleanly when its terminal is closed."""

    def __init__(self, settings: uvicorn.Config, server: Server) -> None:
        super().__init__(settings)
        self._page = server
        if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
            signal.signal(signal.SIGHUP, self.handle_exit)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End the event streams, which would continue, and then the server."""
        self._page.runs.end_streams()
        super().handle_exit(sig, frame)


def _listener(host: str, port: int) -> socket.socket:
    """Return a listening socket, or raise an error with an explanation."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(BACKLOG)  # whoever reads the address may come at once
    except OSError as error:
        raise FileError(
            f"The server cannot listen on {host}, port {port}: {error.strerror}.",
            hint="Use --port 0 for a free port.",
        ) from None
    except OverflowError:
        raise ParameterError("must be an integer from 0 to 65535.", parameter="port") from None
    return listener


def _hosts(host: str, port: int) -> tuple[str, ...]:
    """Return the host names that the server accepts."""
    names = [_bracketed(host)]
    if is_loopback(host):
        names.append("localhost")
    if host in EVERYWHERE:
        names += [LOOPBACK, "localhost", socket.gethostname(), socket.getfqdn()]
    return tuple(dict.fromkeys(f"{name}:{port}" for name in names))


def is_loopback(host: str) -> bool:
    """Return whether only this computer can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host

"""A relay that counts the bytes between a client and a scheduler."""

import socket
import threading
from types import TracebackType
from typing import Self


class Relay:
    """Listen on a port of this machine and pass everything on to a TCP address and back.

    Parameters
    ----------
    address : str
        Where to, such as ``"tcp://127.0.0.1:8786"``.

    Attributes
    ----------
    address : str
        Where the relay listens.
    sent, received : int
        Bytes that went to the given address, and that came back.
    """

    def __init__(self, address: str) -> None:
        host, port = address.removeprefix("tcp://").split(":")
        self._target = host, int(port)
        self._server = socket.create_server(("127.0.0.1", 0))
        self._sockets = [self._server]
        self.address = f"tcp://127.0.0.1:{self._server.getsockname()[1]}"
        self.sent = self.received = 0
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for one in self._sockets:
            one.close()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._server.accept()
            except OSError:
                return
            far = socket.create_connection(self._target)
            self._sockets += [near, far]
            for source, sink, name in ((near, far, "sent"), (far, near, "received")):
                way = (source, sink, name)
                threading.Thread(target=self._pass_on, args=way, daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket, name: str) -> None:
        try:
            while data := source.recv(1 << 16):
                sink.sendall(data)
                with self._lock:
                    setattr(self, name, getattr(self, name) + len(data))
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            pass

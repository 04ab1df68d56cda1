"""Messages between grader, supervisor and student's process: a JSON header and bytes, with their lengths in front."""

import json
import struct
from collections.abc import Iterator
from typing import Any, Protocol

_LENGTHS = struct.Struct(">II")
MAX_HEADER = 16 * 2**20
MAX_PAYLOAD = 64 * 2**20

Message = tuple[dict[str, Any], bytes]


class Nonsense(ValueError):
    """What came is no message of ours."""


class _Writable(Protocol):
    def sendall(self, data: bytes, /) -> Any: ...


def packed(header: dict[str, Any], payload: bytes = b"") -> bytes:
    """Return a message as bytes.

    Raises:
        Nonsense: it is too large.
    """
    text = json.dumps(header).encode()
    if len(text) > MAX_HEADER or len(payload) > MAX_PAYLOAD:
        raise Nonsense(f"a message of {len(text)} + {len(payload)} bytes is too large")
    return _LENGTHS.pack(len(text), len(payload)) + text + payload


def send(where: _Writable, header: dict[str, Any], payload: bytes = b"") -> None:
    """Send a message through a socket."""
    where.sendall(packed(header, payload))


class Messages:
    """Puts messages together from pieces as they come."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> Iterator[Message]:
        """Take more bytes; yield the messages that are whole now.

        Raises:
            Nonsense: these bytes are no messages. Whoever sends them is not to be listened to any more.
        """
        self._data += data
        while len(self._data) >= _LENGTHS.size:
            header, payload = _LENGTHS.unpack_from(self._data)
            if header > MAX_HEADER or payload > MAX_PAYLOAD:
                raise Nonsense("lengths that make no sense")
            begin, end = _LENGTHS.size + header, _LENGTHS.size + header + payload
            if len(self._data) < end:
                return
            try:
                content = json.loads(self._data[_LENGTHS.size : begin])
            except (ValueError, RecursionError):
                raise Nonsense("a header that is no JSON") from None
            if not isinstance(content, dict):
                raise Nonsense("a header that is no object")
            rest = bytes(self._data[begin:end])
            del self._data[:end]
            yield content, rest

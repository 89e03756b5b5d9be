"""Blocks compressed with LZ4, which Python's library does not unpack."""

from __future__ import annotations


def unpacked_lz4(packed: bytes, size: int) -> bytes:
    """The ``size`` bytes of a block in the LZ4 block format; ValueError when it is damaged.

    A block is a row of sequences: a byte with two lengths, literal bytes, and how far back a match begins; lengths of
    15 continue in further bytes, a match is at least 4 bytes long, and the last sequence has literals only.
    """
    result = bytearray()
    at = 0
    while at < len(packed):
        token = packed[at]
        length, at = _length(packed, at + 1, token >> 4)
        if at + length > len(packed) or len(result) + length > size:
            raise ValueError("literals beyond the end of an LZ4 block")
        result += packed[at : at + length]
        at += length
        if at == len(packed):
            break
        distance = int.from_bytes(packed[at : at + 2], "little")
        length, at = _length(packed, at + 2, token & 15)
        length += 4
        if not 0 < distance <= len(result) or len(result) + length > size:
            raise ValueError("a match outside of an LZ4 block")
        start = len(result) - distance
        piece = result[start : start + length]
        result += (piece * (length // len(piece) + 1))[:length]  # a match may reach into itself
    return bytes(result)


def _length(packed: bytes, at: int, length: int) -> tuple[int, int]:
    if length < 15:
        return length, at
    while True:
        if at >= len(packed):
            raise ValueError("a length beyond the end of an LZ4 block")
        length, at = length + packed[at], at + 1
        if packed[at - 1] < 255:
            return length, at

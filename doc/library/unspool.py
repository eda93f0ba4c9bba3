# SPDX-License-Identifier: GPL-3.0-or-later
"""The library of unspool in Python, through ctypes: see unspool.h. Run as a program, it prints a stack with its records.

	unspool.py DUMP [SYMBOLS...]
"""
import ctypes
import os
import sys
from ctypes import POINTER, byref, c_bool, c_char_p, c_size_t, c_uint32, c_uint64, c_void_p

_library = ctypes.CDLL(os.environ.get("UNSPOOL_LIBRARY", "libunspool.so.1"))
NONE = c_size_t(-1).value


class Frame(ctypes.Structure):
    _fields_ = [("frame", c_size_t), ("inlined", c_bool), ("guessed", c_bool), ("pc", c_uint64), ("sp", c_uint64),
                ("trust", c_char_p), ("module", c_char_p), ("function", c_char_p), ("file", c_char_p),
                ("line", c_uint32)]


class Event(ctypes.Structure):
    _fields_ = [("kind", c_char_p), ("name", c_char_p), ("text", c_char_p), ("failed", c_bool), ("has_value", c_bool),
                ("address", c_uint64), ("value", c_uint64), ("parent", c_size_t), ("from_event", c_size_t),
                ("input", c_char_p), ("offset", c_uint64), ("length", c_uint32), ("line", c_uint32)]


def _function(name, result, *arguments):
    function = getattr(_library, "unspool_" + name)
    function.restype, function.argtypes = result, arguments
    return function


_open = _function("open", c_void_p, c_char_p, POINTER(c_char_p), c_size_t, c_char_p, c_size_t)
_close = _function("close", None, c_void_p)
_reason = _function("reason", c_char_p, c_void_p)
_crashed = _function("crashed", c_size_t, c_void_p)
_walk = _function("walk", c_size_t, c_void_p, c_size_t)
_frame = _function("frame", c_bool, c_void_p, c_size_t, POINTER(Frame))
_end = _function("end", c_char_p, c_void_p)
_step = _function("step", c_size_t, c_void_p, c_size_t)
_event = _function("event", c_bool, c_void_p, c_size_t, POINTER(Event))
_register = _function("register", c_bool, c_void_p, c_size_t, c_char_p, POINTER(c_uint64))
_symbol = _function("symbol", c_char_p, c_void_p, c_uint64)
_read = _function("read", c_size_t, c_void_p, c_uint64, c_void_p, c_size_t)


class Dump:
    """An open dump; use it with `with`."""

    def __init__(self, path, *places):
        error, list_of = ctypes.create_string_buffer(256), c_char_p * len(places)
        self.handle = _open(os.fsencode(path), list_of(*map(os.fsencode, places)), len(places), error, len(error))
        if not self.handle:
            raise OSError(os.fsdecode(error.value))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        _close(self.handle)
        self.handle = None

    def _list(self, function, count, item):
        for i in range(count):
            if function(self.handle, i, byref(item)):
                yield {name: os.fsdecode(value) if isinstance(value, bytes) else value
                       for name, value in ((field[0], getattr(item, field[0])) for field in item._fields_)}

    def reason(self):
        return os.fsdecode(_reason(self.handle))

    def walk(self, thread=None):
        """The rows of a thread's stack, by default the crashed one's."""
        return list(self._list(_frame, _walk(self.handle, _crashed(self.handle) if thread is None else thread), Frame()))

    def end(self):
        return os.fsdecode(_end(self.handle))

    def step(self, frame):
        """The events of the step from a frame of the last walk to its caller."""
        return list(self._list(_event, _step(self.handle, frame), Event()))

    def register(self, frame, name):
        """A register of a frame of the last walk, or None if it is unknown."""
        value = c_uint64()
        return value.value if _register(self.handle, frame, name.encode(), byref(value)) else None

    def symbol(self, address):
        """The name of an address, such as "main + 0x10"; empty if it is unknown. Needs a walk."""
        return os.fsdecode(_symbol(self.handle, address))

    def read(self, address, size):
        """The memory at an address, up to `size` bytes, as far as the dump has it."""
        data = ctypes.create_string_buffer(size)
        return data.raw[:_read(self.handle, address, data, size)]


def main(arguments):
    with Dump(*arguments) as dump:
        print(dump.reason())
        for row in dump.walk():
            place = "  %s:%d" % (row["file"], row["line"]) if row["line"] else ""
            print("%2d  0x%x  %s%s  [%s]" % (row["frame"], row["pc"], row["function"], place,
                                             "inlined" if row["inlined"] else row["trust"]))
            for event in dump.step(row["frame"]) if not row["inlined"] else []:
                if event["kind"] in ("record", "set"):
                    line = " (%s:%d)" % (event["input"], event["line"]) if event["line"] else ""
                    value = " 0x%x" % event["value"] if event["has_value"] else ""
                    print("      %s %s%s %s%s" % (event["kind"], event["name"], value, event["text"], line))
        print(dump.end())


if __name__ == "__main__":
    main(sys.argv[1:])

#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A symbol server on loopback that does one thing wrong. The first part of a path says what:
# http://127.0.0.1:PORT/FAULT/NAME/ID/NAME.sym. Files come from a directory in the layout of a store.
#
#	symbol-server.py DIRECTORY PORT-FILE LOG
#
# The port is written to PORT-FILE once it listens, and to PORT-FILE.tls that of one that speaks TLS
# wrongly. Each request is a line of LOG: method, path as it came, the Range header.

import gzip
import http.server
import os
import socket
import sys
import threading
import time
import urllib.parse

directory, port_file, log = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
counts = {}
# Made before anybody waits for it.
blanks = gzip.compress(b" " * (64 << 20), 1)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def answer(self, status, body=b"", headers=(), length=None):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def stored(self, path):
        whole = os.path.normpath(os.path.join(directory, urllib.parse.unquote(path)))
        if not whole.startswith(directory) or not os.path.isfile(whole):
            return None
        with open(whole, "rb") as file:
            return file.read()

    def do_GET(self):
        with open(log, "a") as file:
            file.write("GET %s %s\n" % (self.path, self.headers.get("Range", "-")))
        path = self.path.split("?")[0].lstrip("/")
        fault, _, rest = path.partition("/")
        body = self.stored(rest)
        try:
            getattr(self, "do_" + fault.replace("-", "_"))(body)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def do_good(self, body):
        self.answer(404) if body is None else self.answer(200, body)

    def do_gzip(self, body):
        self.answer(404) if body is None else self.answer(
            200, gzip.compress(body), [("Content-Encoding", "gzip")])

    def do_404(self, body):
        self.answer(404)

    def do_500(self, body):
        self.answer(500)

    def do_hang(self, body):
        time.sleep(8)

    def do_drip(self, body):
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        for byte in b"MODULE windows x86 ":
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            time.sleep(0.3)

    def do_truncated(self, body):
        body = body or b"MODULE x"
        self.answer(200, body[: len(body) // 2], length=len(body))

    # How often a path was asked for, with this time.
    def count(self):
        counts[self.path] = counts.get(self.path, 0) + 1
        return counts[self.path]

    # What is missing of a version to whoever has the beginning of it.
    def rest(self, body, validator):
        half = len(body) // 2
        if self.headers.get("Range") == "bytes=%d-" % half and self.headers.get("If-Range") == validator:
            self.answer(206, body[half:], [("Content-Range", "bytes %d-%d/%d" % (
                half, len(body) - 1, len(body)))])
        else:
            self.answer(416)

    # The first half, and then nothing for longer than anybody waits.
    def stall(self, body, headers, seconds=8):
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body[: len(body) // 2])
        self.wfile.flush()
        time.sleep(seconds)
        self.close_connection = True

    # Breaks off in the middle, once; then sends what is missing to whoever asks for it.
    def do_resumed(self, body):
        if body is None:
            return self.answer(404)
        if self.count() == 1:
            self.answer(200, body[: len(body) // 2], [("ETag", '"one"')], length=len(body))
        else:
            self.rest(body, '"one"')

    def do_moved(self, body):
        self.answer(302, headers=[("Location", "/resumed" + self.path[len("/moved"):] + "&moved")])

    def do_stalled(self, body):
        if body is None:
            return self.answer(404)
        if self.count() == 1:
            self.stall(body, [("ETag", '"one"')])
        else:
            self.rest(body, '"one"')

    def do_dated(self, body):
        date = "Tue, 01 Feb 2022 03:04:05 GMT"
        if body is None:
            return self.answer(404)
        if self.count() == 1:
            self.stall(body, [("Last-Modified", date)])
        else:
            self.rest(body, date)

    # A weak validator says nothing of bytes.
    def do_weak(self, body):
        if body is None:
            return self.answer(404)
        if self.count() == 1:
            self.stall(b"x" * len(body), [("ETag", 'W/"one"')])
        else:
            self.do_good(body) if "Range" not in self.headers else self.answer(416)

    # Another version stands there when the rest is asked for.
    def do_replaced(self, body):
        if body is None:
            return self.answer(404)
        if self.count() == 1:
            self.stall(b"x" * len(body), [("ETag", '"one"')])
        else:
            self.answer(200, body, [("ETag", '"two"')])

    # The same, of a server that knows ranges but not If-Range.
    def do_deaf(self, body):
        if body is None:
            return self.answer(404)
        half = len(body) // 2
        if self.count() == 1:
            self.stall(b"x" * len(body), [("ETag", '"one"')])
        elif "Range" in self.headers:
            self.answer(206, body[half:], [("ETag", '"two"'), ("Content-Range", "bytes %d-%d/%d" % (
                half, len(body) - 1, len(body)))])
        else:
            self.answer(200, body, [("ETag", '"two"')])

    def do_slow(self, body):
        if body is None:
            return self.answer(404)
        self.stall(body, [("ETag", '"one"')], 1)
        self.wfile.write(body[len(body) // 2:])

    # Only code ids lead to it, as on Mozilla's server.
    def do_code(self, body):
        name, code, _ = self.path.split("?")[0].split("/")[2:]
        if (name, code) != ("ledger.exe", "4B2F1D008000"):
            return self.answer(404)
        folder = os.listdir(os.path.join(directory, "ledger.pdb"))[0]
        self.answer(302, headers=[("Location", "/good/ledger.pdb/%s/ledger.sym" % folder)])

    # The same, but there is another file when the rest is asked for.
    def do_changed(self, body):
        if body is None:
            return self.answer(404)
        if self.count() == 1:
            junk = b"x" * len(body)
            self.answer(200, junk[: len(body) // 2], [("ETag", '"one"')], length=len(body))
        else:
            self.answer(200, body, [("ETag", '"two"')])

    def do_wrong_id(self, body):
        self.answer(200, b"MODULE windows x86 11112222333344445555666677778888A x.pdb\n")

    def do_wrong_content(self, body):
        self.answer(200, b"<!doctype html><title>Please log in</title>\n")

    def do_empty(self, body):
        self.answer(200, b"")

    def do_loop(self, body):
        self.answer(302, headers=[("Location", self.path)])

    def do_redirect(self, body):
        self.answer(302, headers=[("Location", "/good" + self.path[len("/redirect"):])])

    def do_file(self, body):
        self.answer(302, headers=[("Location", "file:///etc/passwd")])

    # A file that is right at its beginning, and 64 MB of blanks.
    def do_bomb(self, body):
        head = (body or b"MODULE x\n").split(b"\n")[0] + b"\n"
        self.answer(200, gzip.compress(head) + blanks)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


def speak_no_tls(listener):
    while True:
        connection, _ = listener.accept()
        connection.recv(1024)
        connection.sendall(b"this is no handshake\r\n")
        connection.close()


broken = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=speak_no_tls, args=(broken,), daemon=True).start()
server = Server(("127.0.0.1", 0), Handler)
for name, number in ((".tls", broken.getsockname()[1]), ("", server.server_port)):
    with open(port_file + name + ".new", "w") as file:
        file.write("%d\n" % number)
    os.rename(port_file + name + ".new", port_file + name)
server.serve_forever()

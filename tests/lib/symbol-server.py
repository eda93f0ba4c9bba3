#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A symbol server on loopback that makes one fault, named by the first part of a path:
# http://127.0.0.1:PORT/FAULT/NAME/ID/NAME.sym. Files come from a directory in the layout of a store.
#
#	symbol-server.py DIRECTORY PORT-FILE LOG
#
# The server writes its port to PORT-FILE once it listens, the port that speaks broken TLS to PORT-FILE.tls,
# and a port on ::1, if the system has it, to PORT-FILE.v6. LOG gets a line for each request: method, path as
# received, Range header. LOG.who gets the name and password of requests that send them.

import gzip
import http.server
import lzma
import os
import socket
import struct
import sys
import threading
import time
import urllib.parse

directory, port_file, log = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
counts = {}
# Compressed before the first request, because it takes long.
blanks = gzip.compress(b" " * (64 << 20), 1)


# Faults that only apply to existing files.
of_files = set("""
    good gzip late resumed stalled slow http10 chunked chunked_lie
    chunked_resumed short_length gzip_file gzip_twice gzip_members xz_file zstd_file lower
    wait_a_little
""".split())


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
        # The trickled download runs during other tests, whose log has only their own requests.
        if not self.path.startswith("/trickle/"):
            with open(log, "a") as file:
                file.write("GET %s %s\n" % (self.path, self.headers.get("Range", "-")))
        with open(log + ".who", "a") as file:
            who = self.headers.get("Authorization") or self.headers.get("Proxy-Authorization")
            file.write("%s %s\n" % (self.headers.get("Host").split(":")[0], who or "nobody"))
        # A proxy gets the complete URL.
        path = urllib.parse.urlsplit(self.path).path.lstrip("/")
        fault, _, rest = path.partition("/")
        body = self.stored(rest)
        fault = fault.replace("-", "_")
        try:
            getattr(self, "do_404" if body is None and fault in of_files else "do_" + fault)(body)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def do_good(self, body):
        self.answer(200, body)

    def do_gzip(self, body):
        self.answer(200, gzip.compress(body), [("Content-Encoding", "gzip")])

    def do_404(self, body):
        self.answer(404)

    def do_500(self, body):
        self.answer(500)

    def do_hang(self, body):
        time.sleep(8)

    # Answers late, but only once.
    def do_late(self, body):
        counts["late"] = counts.get("late", 0) + 1
        if counts["late"] == 1:
            time.sleep(8)
        else:
            self.do_good(body)

    def do_drip(self, body):
        self.send_response(200)
        self.send_header("Content-Length", "100000")
        self.end_headers()
        for byte in b"MODULE windows x86 ":
            self.wfile.write(bytes([byte]))
            self.wfile.flush()
            time.sleep(0.3)

    # Enough bytes a second for a server that is not silent, without an end; once.
    def do_trickle(self, body):
        counts["trickle"] = counts.get("trickle", 0) + 1
        if counts["trickle"] > 1:
            return self.answer(404)
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"MODULE windows x86 ")
        while True:
            self.wfile.write(b"x" * 700)
            self.wfile.flush()
            time.sleep(0.7)

    def do_truncated(self, body):
        body = body or b"MODULE x"
        self.answer(200, body[: len(body) // 2], length=len(body))

    # The number of requests for this path, including this one.
    def count(self):
        counts[self.path] = counts.get(self.path, 0) + 1
        return counts[self.path]

    # The rest of a file, to a client that has the first half of it.
    def rest(self, body, validator):
        half = len(body) // 2
        if self.headers.get("Range") == "bytes=%d-" % half and self.headers.get("If-Range") == validator:
            self.answer(206, body[half:], [("Content-Range", "bytes %d-%d/%d" % (half, len(body) - 1, len(body)))])
        else:
            self.answer(416)

    # The first half, then a pause that is longer than a client's limit.
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

    # Breaks off in the middle, once; then sends the rest on request.
    def do_resumed(self, body):
        if self.count() == 1:
            self.answer(200, body[: len(body) // 2], [("ETag", '"one"')], length=len(body))
        else:
            self.rest(body, '"one"')

    def do_moved(self, body):
        self.answer(302, headers=[("Location", "/resumed" + self.path[len("/moved"):] + "&moved")])

    def do_stalled(self, body):
        if self.count() == 1:
            self.stall(body, [("ETag", '"one"')])
        else:
            self.rest(body, '"one"')

    def do_slow(self, body):
        self.stall(body, [("ETag", '"one"')], 1)
        self.wfile.write(body[len(body) // 2:])

    # Only code IDs lead to the file, as on Mozilla's server.
    def do_code(self, body):
        name, code, _ = self.path.split("?")[0].split("/")[2:]
        if (name, code) != ("ledger.exe", "4B2F1D008000"):
            return self.answer(404)
        folder = os.listdir(os.path.join(directory, "ledger.pdb"))[0]
        self.answer(302, headers=[("Location", "/good/ledger.pdb/%s/ledger.sym" % folder)])

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

    def do_http10(self, body):
        self.protocol_version, self.close_connection = "HTTP/1.0", True
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    # An answer without a length that ends early.
    def do_http10_cut(self, body):
        self.do_http10((body or b"MODULE x")[: len(body) // 2])

    # Headers, then the body in chunks of seven bytes; without the last chunk the answer is truncated.
    def chunks(self, body, headers=(), last=True):
        self.send_response(200)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for at in range(0, len(body), 7):
            piece = body[at : at + 7]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        if last:
            self.wfile.write(b"0\r\n\r\n")
        self.close_connection = True

    def do_chunked(self, body):
        self.chunks(body)

    # Content-Length has no meaning together with chunks.
    def do_chunked_lie(self, body):
        self.chunks(body, [("Content-Length", "99")])

    # 9 million chunks of one byte.
    def do_crumbs(self, body):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for _ in range(900):
            self.wfile.write(b"1\r\nx\r\n" * 10000)
        self.wfile.write(b"0\r\n\r\n")
        self.close_connection = True

    # Not an HTTP answer.
    def do_no_http(self, body):
        self.wfile.write(b"MODULE x\n" * 1000)
        self.close_connection = True

    def do_long_header(self, body):
        self.send_response(200)
        self.flush_headers()
        self.wfile.write(b"X: " + b"x" * (1 << 20))

    def do_chunked_cut(self, body):
        self.chunks((body or b"MODULE x")[:100], last=False)

    # The length comes only with the rest, which breaks off once more.
    def do_chunked_resumed(self, body):
        count, third = self.count(), len(body) // 3
        if count == 1:
            return self.chunks(body[:third], [("ETag", '"one"')], last=False)
        begin = int(self.headers["Range"][len("bytes="):-1])
        end = 2 * third if count == 2 else len(body)
        self.answer(206, body[begin:end], [("ETag", '"one"'), ("Content-Range", "bytes %d-%d/%d" % (begin, end - 1, len(body)))])

    def do_short_length(self, body):
        self.answer(200, body, length=len(body or b"MODULE x") // 2)

    def do_huge_length(self, body):
        self.answer(200, body or b"", length=1 << 63)

    def do_no_length(self, body):
        self.answer(200, body or b"", length="a few")

    # A file that the server keeps compressed.
    def do_gzip_file(self, body):
        self.answer(200, gzip.compress(body))

    def do_gzip_twice(self, body):
        self.answer(200, gzip.compress(gzip.compress(body)), [("Content-Encoding", "gzip")])

    def do_gzip_members(self, body):
        self.answer(200, gzip.compress(body[:100]) + gzip.compress(b"") + gzip.compress(body[100:]))

    def do_gzip_cut(self, body):
        self.answer(200, gzip.compress(body or b"MODULE x\n")[:-9])

    def do_xz_file(self, body):
        self.answer(200, lzma.compress(body))

    # RFC 8878: a frame of uncompressed blocks.
    def do_zstd_file(self, body):
        blocks = [body[at : at + 100] for at in range(0, len(body), 100)]
        frame = b"\x28\xb5\x2f\xfd\0\x58"
        for at, block in enumerate(blocks):
            frame += struct.pack("<I", len(block) << 3 | (at == len(blocks) - 1))[:3] + block
        self.answer(200, frame)

    def do_encoded(self, body):
        self.answer(200, b"\x0b\x02\x80", [("Content-Encoding", "br")])

    def do_utf16(self, body):
        self.answer(200, (body or b"MODULE x\n").decode().encode("utf-16"))

    def do_page(self, body):
        self.answer(200, b"<!doctype html>\n", [("Content-Type", "text/html; charset=utf-8")])

    def do_typed(self, body):
        self.answer(200, b"{}\n", [("Content-Type", "application/json")])

    # The right first line, then garbage.
    def do_garbage(self, body):
        head = (body or b"MODULE x\n").split(b"\n")[0]
        self.answer(200, head + b"\n" + bytes(range(256)) * 10 + b"\n")

    def do_lower(self, body):
        first, _, rest = body.partition(b"\n")
        self.answer(200, first.lower().replace(b"module", b"MODULE") + b"\n" + rest)

    def do_wait_a_little(self, body):
        if self.count() == 1:
            self.answer(429, headers=[("Retry-After", "1")])
        else:
            self.do_good(body)

    # Redirects to another host name for the same server, or to an invalid URL.
    def do_away(self, body):
        self.answer(302, headers=[("Location", "http://localhost:%d/good%s" % (
            self.server.server_port, self.path[len("/away"):]))])

    def do_ftp(self, body):
        self.answer(302, headers=[("Location", "ftp://user:hidden@127.0.0.1/x.sym")])

    # Has a file for every request.
    def do_any(self, body):
        name, own = [urllib.parse.unquote(part) for part in urllib.parse.urlsplit(self.path).path.split("/")[2:4]]
        self.answer(200, ("MODULE windows x86 %s %s\n" % (own, name)).encode() + b"FUNC 1000 10 0 f\n" * 1000)

    # Ignores the case of letters, as Windows servers do.
    def do_caseless(self, body):
        path = self.path.split("/", 2)[2].lower()
        for folder, _, names in os.walk(directory):
            for name in names:
                whole = os.path.join(folder, name)
                if os.path.relpath(whole, directory).lower() == path:
                    with open(whole, "rb") as file:
                        return self.answer(200, file.read())
        self.answer(404)

    # A body with a good beginning and no end.
    def do_endless(self, body):
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        piece = (body or b"x") + bytes(1 << 20)
        while True:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))

    # An HTML page with status 200 in place of a missing file.
    def do_soft_404(self, body):
        if body is None:
            self.do_page(body)
        else:
            self.do_good(body)

    # Storage services that answer 403 for a missing file.
    def do_soft_403(self, body):
        self.answer(403) if body is None else self.do_good(body)

    # A file with a good first line, then 64 MB of blanks.
    def do_bomb(self, body):
        head = (body or b"MODULE x\n").split(b"\n")[0] + b"\n"
        self.answer(200, gzip.compress(head) + blanks)

    # 256 MB, compressed to 1.2 MB. The limit is 64 times that and 64 MB: 137 MB.
    def do_large_bomb(self, body):
        head = (body or b"MODULE x\n").split(b"\n")[0] + b"\n"
        self.answer(200, gzip.compress(head) + blanks * 4)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True


def speak_no_tls(listener):
    while True:
        connection, _ = listener.accept()
        connection.recv(1024)
        connection.sendall(b"this is no handshake\r\n")
        connection.close()


class Server6(Server):
    address_family = socket.AF_INET6


broken = socket.create_server(("127.0.0.1", 0))
threading.Thread(target=speak_no_tls, args=(broken,), daemon=True).start()
server = Server(("127.0.0.1", 0), Handler)
ports = [(".tls", broken.getsockname()[1]), ("", server.server_port)]
try:
    other = Server6(("::1", 0), Handler)
    threading.Thread(target=other.serve_forever, daemon=True).start()
    ports.insert(0, (".v6", other.server_port))
except OSError:
    pass
for name, number in ports:
    with open(port_file + name + ".new", "w") as file:
        file.write("%d\n" % number)
    os.rename(port_file + name + ".new", port_file + name)
server.serve_forever()

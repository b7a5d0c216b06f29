"""A real HTTP server on this machine that can misbehave."""

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Served(BaseHTTPRequestHandler):
    """/right/... is served whole, /cut/... ends early, /stuck/... stops in the middle and waits; the rest is not found."""

    def do_GET(self):
        _, manner, name = self.path.split("/", 2)
        body = self.server.files.get(name)
        self.server.asked.append(self.path)
        if body is None or manner not in ("right", "cut", "stuck"):
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body if manner == "right" else body[: len(body) // 2])
        self.wfile.flush()
        if manner == "stuck":
            self.server.halfway.set()
            self.server.finish.wait(30)

    def log_message(self, *_):
        pass


@contextmanager
def serving(files):
    """The server's address, and the server: `asked` lists the requests."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Served)
    server.files, server.asked = files, []
    server.halfway, server.finish = threading.Event(), threading.Event()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", server
    finally:
        server.finish.set()
        server.shutdown()
        thread.join()
        server.server_close()

"""Correct servers of a store of numbers, of many kinds: python3 server.py KIND PORT. `reset` and `reset-lines` empty the store of the server at
the port: with DELETE /all, or with the line "Reset"."""
import json, random, re, socket, sys, threading, time
kind, port = sys.argv[1], int(sys.argv[2])
kv, lock = {}, threading.Lock()

def do(method, path, body):
    """The status and the content of an answer."""
    with lock:
        if path == "/all": kv.clear(); return 204, None
        if path == "/size": return 200, str(len(kv))
        m = re.fullmatch(r"/kv/([^/]+)", path)
        key = m.group(1)
        if method == "PUT": kv[key] = json.loads(body)["n"]; return 204, None
        if key not in kv: return 404, ""
        if method == "GET" or method == "HEAD": return 200, str(kv[key])
        if method == "POST": kv[key] += json.loads(body)["n"]; return 200, str(kv[key])
        del kv[key]; return 204, None

def jitter(): time.sleep(random.random() * 0.003)

def wsgi(environ, start):
    path = environ.get("RAW_URI") or environ["REQUEST_URI"]  # PATH_INFO is decoded: /kv/%2F would be /kv//
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    method = environ["REQUEST_METHOD"]
    status, text = do(method, path, body)
    headers = [] if text is None else [("Content-Length", str(len(text)))]
    start(f"{status} X", headers)
    return [] if text is None or method == "HEAD" else [text.encode()]

async def asgi(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            m = await receive()
            await send({"type": m["type"] + ".complete"})
            if m["type"] == "lifespan.shutdown": return
    body = b""
    while True:
        m = await receive(); body += m.get("body", b"")
        if not m.get("more_body"): break
    status, text = do(scope["method"], scope["raw_path"].decode().split("?")[0], body)
    headers = [] if text is None else [(b"content-length", str(len(text)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if text is None or scope["method"] == "HEAD" else text.encode()})

def stdlib(kind):
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer, HTTPServer
    class H(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0" if kind.startswith("old") else "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1 if kind != "pieces" else 0
        count = 0
        if kind == "idle": timeout = 0.004
        def any(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if kind in ("slow", "old-slow"): jitter()
            status, text = do(self.command, self.path, body)
            if kind in ("slow", "old-slow"): jitter()
            if kind == "early": self.wfile.write(b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n")
            self.send_response(status)
            if kind == "close" or kind == "close-some" and random.random() < 0.3: self.send_header("Connection", "close")
            is_head = self.command == "HEAD"
            if text is not None and kind == "chunked":
                self.send_header("Transfer-Encoding", "chunked"); self.end_headers()
                if not is_head:
                    for c in text: self.wfile.write(b"1;x=y\r\n%c\r\n" % ord(c)); self.wfile.flush()
                    self.wfile.write(b"0\r\nTrailer: 1\r\n\r\n")
            else:
                if text is not None and kind != "old-bare": self.send_header("Content-Length", str(len(text)))
                if kind == "old-keep" and self.headers.get("Connection", "") == "keep-alive": self.send_header("Connection", "keep-alive")
                self.end_headers()
                if text and not is_head: self.wfile.write(text.encode())
            self.wfile.flush()
            self.count += 1
            if kind == "nth" and self.count == 7: self.close_connection = True
        do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = any
        def log_message(self, *_): pass
        def handle(self):
            try: super().handle()
            except (ConnectionError, TimeoutError): pass
    S = HTTPServer if kind == "single" else ThreadingHTTPServer
    S.request_queue_size = 64
    S(("127.0.0.1", port), H).serve_forever()

def raw():
    """HTTP by hand: odd spellings, one byte at a time, extra blank lines."""
    def serve(s):
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        buf = b""
        try:
            while True:
                while b"\r\n\r\n" not in buf:
                    more = s.recv(65536)
                    if not more: return
                    buf += more
                head, buf = buf.split(b"\r\n\r\n", 1)
                lines = head.decode().split("\r\n")
                method, path, _ = lines[0].split(" ")
                length = next((int(l.split(":")[1]) for l in lines[1:] if l.lower().startswith("content-length")), 0)
                while len(buf) < length: buf += s.recv(65536)
                body, buf = buf[:length], buf[length:]
                status, text = do(method, path, body)
                out = f"HTTP/1.1 {status} \r\nconTENT-length:\t {len(text)} \r\nX-Odd:\r\n\r\n" if text is not None else f"HTTP/1.1 {status} \r\n\r\n"
                if text and method != "HEAD": out += text
                out = out.encode()
                if random.random() < 0.3:
                    for i in range(len(out)): s.send(out[i:i + 1])
                else:
                    at = random.randrange(len(out)); s.send(out[:at]); s.send(out[at:])
                if random.random() < 0.1: s.shutdown(socket.SHUT_WR); return
        except (ConnectionError, OSError): pass
        finally: s.close()
    listen(serve)

def listen(serve):
    l = socket.socket(); l.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1); l.bind(("127.0.0.1", port)); l.listen(64)
    while True: threading.Thread(target=serve, args=(l.accept()[0],), daemon=True).start()

def one(q):
    """The answer to a request as a line."""
    with lock:
        if q == "Reset": kv.clear(); return "Done"
        if q == "Size": return {"Value": {"n": len(kv)}}
        [(name, f)] = q.items(); key = f["key"]
        if name == "Put": kv[key] = f["n"]; return "Done"
        if key not in kv: return "Missing"
        if name == "Add": kv[key] += f["n"]
        if name == "Drop": del kv[key]; return "Done"
        return {"Value": {"n": kv[key]}}

def lines(serve_line):
    def serve(s):
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            with s, s.makefile("r", newline="\n") as f:
                for line in f:
                    out = serve_line(json.loads(line))
                    if out is None: return
                    s.sendall((json.dumps(out) + "\n").encode())
        except OSError: pass
    listen(serve)

def closing(q):
    if q == "Reset": return one(q)
    if random.random() < 0.1: return None
    out = one(q)
    return None if random.random() < 0.1 and "Get" not in q and out != "Missing" else out

def slow(q):
    jitter(); out = one(q); jitter(); return out

def push():
    n = 0
    def serve(s):
        nonlocal n
        s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            with s, s.makefile("r", newline="\n") as f:
                first = True
                for line in f:
                    q = json.loads(line)
                    with lock:
                        if q == "Reset": n = 0; s.sendall(b'"Done"\n'); continue
                        if first: s.sendall((json.dumps({"Hello": {"n": n}}) + "\n").encode()); first = False
                        if q != "Get": n += q["Add"]["n"]
                        out = {"Value": {"n": n}}
                    s.sendall((json.dumps(out) + "\n").encode())
        except OSError: pass
    listen(serve)

def adapter():
    """A stdio adapter: with threads; sometimes it loses or refuses a request, or its connection closes."""
    out = threading.Lock()
    def say(m):
        with out: print(json.dumps(m), flush=True)
    import queue
    qs = {}
    def client(c, q):
        while True:
            r = q.get()
            if r is None: return
            p = random.random()
            if kind == "stdio-lossy" and p < 0.05: say({"c": c, "refused": True}); continue
            if kind == "stdio-lossy" and p < 0.08:
                # The connection is gone, with what was asked on it.
                say({"c": c, "lost": True})
                while not q.empty():
                    if q.get() is not None: say({"c": c, "lost": True})
                continue
            if kind != "stdio": jitter()
            a = one(r)
            if kind != "stdio": jitter()
            say({"c": c, "lost": True} if kind == "stdio-lossy" and p < 0.1 and q.empty() else {"c": c, "a": a})
    for line in sys.stdin:
        m = json.loads(line)
        if "mayhap" in m: say({"ready": True})
        elif "reset" in m:
            for q in qs.values(): q.put(None)
            time.sleep(0.02)
            qs.clear()
            with lock: kv.clear()
            say({"ready": True})
        elif "end" in m: return
        elif "close" in m: pass
        else:
            c = m["c"]
            if c not in qs:
                qs[c] = queue.Queue(); threading.Thread(target=client, args=(c, qs[c]), daemon=True).start()
            qs[c].put(m["q"])

def reset():
    """Some servers end connections early, so a reset that was not answered is repeated."""
    text = b'"Reset"\n' if kind == "reset-lines" else b"DELETE /all HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    for _ in range(100):
        try:
            with socket.create_connection(("127.0.0.1", port)) as s:
                s.sendall(text)
                if s.recv(1000): return
        except ConnectionError: pass
    sys.exit(1)

if __name__ == "__main__":
    import logging; logging.disable(logging.CRITICAL)
    if kind.startswith("reset"): reset()
    elif kind == "raw": raw()
    elif kind == "lines": lines(one)
    elif kind == "lines-slow": lines(slow)
    elif kind == "closing": lines(closing)
    elif kind == "push": push()
    elif kind.startswith("stdio"): adapter()
    elif kind == "flask":
        from flask import Flask, request, Response
        app = Flask("kv")
        @app.before_request  # a route with <path:p> would not have the path /kv/%0A
        def any():
            status, text = do(request.method, request.environ["RAW_URI"], request.get_data())
            return Response(text or "", status)
        app.run("127.0.0.1", port, threaded=True)
    elif kind == "waitress":
        import waitress; waitress.serve(wsgi, host="127.0.0.1", port=port, threads=4)
    elif kind.startswith("gunicorn"):
        from gunicorn.app.base import BaseApplication
        class A(BaseApplication):
            def load_config(self):
                for k, v in {"bind": f"127.0.0.1:{port}", "workers": 1, "threads": 1 if kind == "gunicorn" else 4, "worker_class": {"gunicorn": "sync", "gunicorn-threads": "gthread", "gunicorn-gevent": "gevent"}[kind], "loglevel": "critical"}.items(): self.cfg.set(k, v)
            def load(self): return wsgi
        A().run()
    elif kind.startswith("uvicorn"):
        import uvicorn; uvicorn.run(asgi, host="127.0.0.1", port=port, log_level="critical", http="h11" if kind == "uvicorn-h11" else "httptools")
    elif kind == "hypercorn":
        import asyncio; from hypercorn.asyncio import serve; from hypercorn.config import Config
        c = Config(); c.bind = [f"127.0.0.1:{port}"]; c.loglevel = "CRITICAL"; asyncio.run(serve(asgi, c))
    elif kind == "cheroot":
        from cheroot.wsgi import Server; Server(("127.0.0.1", port), wsgi).start()
    elif kind == "aiohttp":
        from aiohttp import web
        async def h(r):
            status, text = do(r.method, r.raw_path, await r.read())
            return web.Response(status=status, text=text or None)
        app = web.Application(); app.router.add_route("*", r"/{p:[\s\S]*}", h); web.run_app(app, host="127.0.0.1", port=port, print=None, access_log=None)
    elif kind == "tornado":
        import asyncio, tornado.web
        class H(tornado.web.RequestHandler):
            def any(self):
                status, text = do(self.request.method, self.request.path, self.request.body)
                self.set_status(status)
                if text: self.write(text)
            get = head = put = post = delete = any
            def compute_etag(self): return None
        async def main():
            tornado.web.Application([(r"/.*", H)]).listen(port, "127.0.0.1"); await asyncio.Event().wait()
        asyncio.run(main())
    else: stdlib(kind)

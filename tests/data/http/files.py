"""A server of files in memory that follows RFC 9110, with freedoms that it leaves: files.py PORT MARK FREEDOM...

It begins anew when the file MARK is not there. `weak` tags; tags that are weak at first (`aging`), made of the `content`, or `change`;
`untagged`, `undated` files; tags that come `late`; a short `head`; If-Modified-Since is `always` answered 200, only the exact date gets
304 (`exact`), or a date in the future means nothing (`future`); `lazy` answers that a write is done already; `idempotent` deletes what is
not there; `created` shows tag and date after PUT; 200 with a `page` after a write, else 204; `gone` instead of 404; `old` dates of 1994;
`bare` answers have no length; a server that is `readonly` has two files.
"""
import email.utils, hashlib, itertools, os, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

mark, free, files, counter, lock = sys.argv[2], set(sys.argv[3:]), {}, itertools.count(), threading.Lock()


class File:
    def __init__(self, body):
        self.body, self.born, self.number = body, time.time(), next(counter)
        self.date = None if "undated" in free else 784111777 if "old" in free else int(self.born)

    def tag(self):
        if "untagged" in free or "late" in free and time.time() < self.born + 0.02:
            return None
        if "change" in free:
            return f'"{next(counter)}"'
        if "content" in free:
            return '"%s"' % hashlib.md5(self.body).hexdigest()
        is_weak = "weak" in free or "aging" in free and time.time() < self.born + 0.02
        return ("W/" if is_weak else "") + f'"{self.number}"'


def tags(text):
    return [tag.strip() for tag in text.split(",")]


def seconds(text):
    return int(email.utils.parsedate_to_datetime(text).timestamp())


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def answer(self, status, body=b"", file=None, tag=None):
        is_head, has_body = self.command == "HEAD", status not in (204, 304)
        self.send_response_only(status)
        if file and not (is_head and "head" in free):
            if tag:
                self.send_header("ETag", tag)
            if file.date is not None and not (status == 304 and "bare" in free):
                self.send_header("Last-Modified", email.utils.formatdate(file.date, usegmt=True))
        if has_body and "bare" in free and not is_head:
            self.send_header("Transfer-Encoding", "chunked")
            body = (b"%x\r\n%s\r\n" % (len(body), body) if body else b"") + b"0\r\n\r\n"
        elif has_body and not (is_head and "head" in free):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if has_body and not is_head:
            self.wfile.write(body)

    def failed(self, file, tag):
        """Whether If-Match or If-Unmodified-Since fails, and then whether the file is what the client has already."""
        match, unmodified = self.headers.get("If-Match"), self.headers.get("If-Unmodified-Since")
        if match is not None:
            is_met = file is not None and (match == "*" or tag is not None and tag[0] == '"' and tag in tags(match))
        else:
            is_met = not (unmodified and file and file.date is not None and file.date > seconds(unmodified))
        none = self.headers.get("If-None-Match")
        opaque = lambda tag: tag.removeprefix("W/")
        is_known = file and none is not None and (none == "*" or tag and opaque(tag) in map(opaque, tags(none)))
        return not is_met, is_known

    def since(self, file):
        """Whether If-Modified-Since is answered 304."""
        text = self.headers.get("If-Modified-Since")
        if not text or self.headers.get("If-None-Match") is not None or file.date is None or "always" in free:
            return False
        date = seconds(text)
        if "exact" in free:
            return date == file.date
        return file.date <= date and not ("future" in free and date > time.time())

    def do(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with lock:
            self.serve(body)

    def serve(self, body):
        name, method = self.path, self.command
        if not os.path.exists(mark):
            open(mark, "w").close()
            files.clear()
            if "readonly" in free:
                files.update({"/a": File(b"one"), "/b": File(b"two")})
        if "readonly" in free and method in ("PUT", "DELETE"):
            return self.answer(501)
        file = files.get(name)
        tag = file and file.tag()
        failed, is_known = self.failed(file, tag)
        page = b"done" if "page" in free else b""
        done = 200 if "page" in free else 204
        if method in ("GET", "HEAD"):
            if not file:
                return self.answer(410 if "gone" in free else 404, b"not here")
            if failed:
                return self.answer(412, b"", file, tag)
            if is_known or self.since(file):
                return self.answer(304, b"", file, tag)
            return self.answer(200, file.body, file, tag)
        if method == "PUT":
            if failed and file and file.body == body and "lazy" in free:
                return self.answer(done, page)
            if failed or is_known:
                return self.answer(412, b"no")
            new = files[name] = File(body)
            shown = (new, new.tag()) if "created" in free else ()
            return self.answer(done if file else 201, page, *shown)
        if not file and "idempotent" not in free:
            return self.answer(410 if "gone" in free else 404, b"not here")
        if (failed or is_known) and not (failed and not file and "lazy" in free):
            return self.answer(412, b"no")
        files.pop(name, None)
        self.answer(done, page)

    do_GET = do_HEAD = do_PUT = do_DELETE = do

    def log_message(self, *_):
        pass


ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()

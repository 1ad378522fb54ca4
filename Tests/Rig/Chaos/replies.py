"""Hostile replies: each takes (request, server) and returns what is sent, or None to hang up.

`told` is the warning that must name it, `acknowledges` whether the records may leave the queue.
"""
import json, os, struct, socket, time, uuid

from .server import answer

ALL = []


def reply(told="sync_failed"):
    def declare(function):
        function.told = told
        ALL.append(function)
        return function
    return declare


def strangers(count):
    return [str(uuid.UUID(bytes=os.urandom(16))) for _ in range(count)]


@reply()
def nobody(request, server):
    """200 without a body"""
    request.read()
    return answer("200 OK")


@reply()
def no_content(request, server):
    """204"""
    request.read()
    return b"HTTP/1.1 204 No Content\r\n\r\n"


@reply()
def empty_object(request, server):
    """200 {}"""
    request.read()
    return answer("200 OK", "{}")


@reply()
def early(request, server):
    """200 before the body was read, which then nobody reads"""
    request.client.sendall(answer("200 OK", '{"ok":true}'))
    time.sleep(0.3)
    reset(request.client)


@reply()
def other_ids(request, server):
    """200 that acknowledges what was never sent"""
    request.read()
    return answer("200 OK", json.dumps({"ack": strangers(5)}))


@reply()
def odd_ack(request, server):
    """200 with an ack that is a number"""
    request.read()
    return answer("200 OK", '{"ack":5}')


@reply()
def error_object(request, server):
    """200 {"error": …}"""
    request.read()
    return answer("200 OK", '{"error":"log in first"}')


@reply()
def nested(request, server):
    """200 with 100,000 brackets"""
    request.read()
    return answer("200 OK", "[" * 100_000)


@reply()
def noise(request, server):
    """200 with random bytes"""
    request.read()
    return answer("200 OK", os.urandom(2000), "application/octet-stream")


@reply("captive_portal")
def portal(request, server):
    """A web page, 200"""
    request.read()
    return answer("200 OK", "<!DOCTYPE html><html><body>Please log in</body></html>", "text/html")


@reply()
def redirect(request, server):
    """302 to another host"""
    request.read()
    return answer("302 Found", headers=["Location: http://192.0.2.1/login"])


@reply()
def not_http(request, server):
    """What is not HTTP"""
    request.read()
    return b"SSH-2.0-OpenSSH_9.2\r\n\r\n"


@reply()
def busy(request, server):
    """503 with a Retry-After of 1 s"""
    request.read()
    return answer("503 Busy", headers=["Retry-After: 1"])


@reply()
def absurd_pause(request, server):
    """429 with a Retry-After that makes no sense"""
    request.read()
    senseless = ["-5", "soon", "", "Thu, 01 Jan 1970 00:00:00 GMT", "2 seconds, or 3"]
    return answer("429 Slow down", headers=["Retry-After: " + senseless[server.misbehaved % len(senseless)]])


@reply()
def server_error(request, server):
    """500"""
    request.read()
    return answer("500 Internal Server Error", "oops", "text/plain")


@reply()
def bad_gateway(request, server):
    """502"""
    request.read()
    return answer("502 Bad Gateway", "<html>nginx</html>", "text/html")


@reply()
def too_large(request, server):
    """413 for more than one record"""
    request.read()
    if len(request.uuids()) > 1:
        return answer("413 Content Too Large")
    # Nobody was refused anything.
    server.misbehaved -= 1
    return server.honest(request)


@reply()
def refuses(request, server):
    """400 for everything"""
    request.read()
    return answer("400 Bad Request", '{"error":"bad"}')


@reply("sync_unauthorised")
def unauthorised(request, server):
    """401 although the token is right"""
    request.read()
    return answer("401 Unauthorized")


@reply()
def stored_and_dropped(request, server):
    """Stored, and the connection is reset before the reply"""
    server.store(request)
    reset(request.client)


@reply()
def stored_and_late(request, server):
    """Stored, and answered after the client's deadline"""
    server.store(request)
    time.sleep(4)
    return answer("200 OK", json.dumps({"ack": request.uuids()}))


@reply()
def reset_at_once(request, server):
    """Connection reset while the body comes"""
    reset(request.client)


@reply()
def half_a_reply(request, server):
    """A body shorter than its Content-Length, then nothing"""
    request.read()
    request.client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"ack\":[")
    time.sleep(4)


@reply()
def slow_header(request, server):
    """A header that comes a byte at a time, for ever"""
    request.read()
    for letter in b"HTTP/1.1 200 OK\r\nX-Slow: " + b"a" * 100:
        request.client.sendall(bytes([letter]))
        time.sleep(0.2)


@reply()
def endless_body(request, server):
    """A body without an end"""
    request.read()
    request.client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n")
    for _ in range(400):
        request.client.sendall(b" " * 65_536)


def reset(client):
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.close()

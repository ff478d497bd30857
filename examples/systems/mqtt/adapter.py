"""Joins mosquitto to the specification of MQTT 3.1.1. It is started anew for each run.

    mayhap test specs/systems/mqtt.may --sut 'stdio:python3 examples/systems/mqtt/adapter.py'
"""
import os, struct, sys
sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import server
from mayhap_adapter import Client, serve

mosquitto = server.Server("mosquitto -p {port}")
CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, UNSUBSCRIBE, UNSUBACK, PINGREQ, PINGRESP, DISCONNECT = (
    0x10, 0x20, 0x30, 0x40, 0x82, 0x90, 0xA2, 0xB0, 0xC0, 0xD0, 0xE0)


def text(value):
    return struct.pack(">H", len(value.encode())) + value.encode()


class Subscriber(Client):
    def __init__(self):
        self.socket, self.inbox, self.packet = None, {}, 0
        self.connect(True)

    def send(self, kind, content=b""):
        assert len(content) < 128  # a length of one octet
        self.socket.sendall(bytes([kind, len(content)]) + content)

    def read(self):
        head = self.lines.read(2)
        return (head[0], self.lines.read(head[1])) if head else (None, b"")

    def until(self, kind):
        """Reads as far as a packet of this kind, and keeps the messages on the way: the content, and how many were acknowledged."""
        acknowledged = 0
        while True:
            got, content = self.read()
            if got == kind or got is None:
                return content, acknowledged
            size, qos = struct.unpack(">H", content[:2])[0], got >> 1 & 3
            topic, rest = content[2:2 + size].decode(), content[2 + size:]
            if qos:
                self.send(PUBACK, rest[:2])
                acknowledged, rest = acknowledged + 1, rest[2:]
            message = {"content": rest.decode(), "qos": qos, "retained": bool(got & 1)}
            self.inbox.setdefault(topic, []).append(message)

    def drain(self):
        """Reads all that has come; the broker sends more once something is acknowledged."""
        acknowledged = 1
        while acknowledged:
            self.send(PINGREQ)
            acknowledged = self.until(PINGRESP)[1]

    def number_of_packet(self):
        self.packet += 1
        return struct.pack(">H", self.packet)

    def connect(self, clean):
        self.socket, self.lines = mosquitto.connect()
        self.send(CONNECT, text("MQTT") + bytes([4, 2 if clean else 0, 0, 0]) + text("c%d" % self.number))
        return bool(self.until(CONNACK)[0][0])

    def ask(self, request):
        if self.socket is None and not (isinstance(request, dict) and "Connect" in request):
            return "Away"
        answer = super().ask(request)
        if self.socket:
            self.drain()
        return answer

    def Publish(self, topic, content, qos, retain):
        self.send(PUBLISH | qos << 1 | retain, text(topic) + (self.number_of_packet() if qos else b"") + content.encode())
        if qos:
            self.until(PUBACK)
        return "Done"

    def Subscribe(self, filter, qos):
        self.send(SUBSCRIBE, self.number_of_packet() + text(filter) + bytes([qos]))
        return {"Granted": self.until(SUBACK)[0][2]}

    def Unsubscribe(self, filter):
        self.send(UNSUBSCRIBE, self.number_of_packet() + text(filter))
        self.until(UNSUBACK)
        return "Done"

    def Receive(self):
        self.drain()
        inbox, self.inbox = self.inbox, {}
        return {"Messages": list(inbox.items())}

    def Leave(self):
        self.drain()
        self.send(DISCONNECT)
        self.lines.read()  # what comes now is as if it came after: the broker keeps it, or it is lost
        self.socket.close()
        self.socket = None
        return "Done"

    def Connect(self, clean):
        if self.socket:
            self.Leave()
        return {"Connected": {"session": self.connect(clean)}}

    def close(self):
        if self.socket:
            self.socket.close()


serve(Subscriber, reset=mosquitto.start)

"""Whoever sits before the Python client."""

import urllib.parse
import urllib.request

from mcp import types


class Person:
    """Does the same with every question; what is typed comes by the name of its field."""

    def __init__(self, call):
        self.call = call
        self.asked = []
        self.addresses = []

    async def answer(self, _context, params):
        self.asked.append(params.message)
        action = self.call["action"]
        if action != "accept":
            return types.ElicitResult(action=action)
        if isinstance(params, types.ElicitRequestURLParams):
            self.open(params.url)
            return types.ElicitResult(action="accept")
        fields = params.requested_schema["properties"]
        return types.ElicitResult(action="accept", content={name: self.call["answers"][name] for name in fields})

    def open(self, address):
        """Agrees at once and finishes when asked again: accept is not completion."""
        if address in self.addresses:
            body = urllib.parse.urlencode({"decision": "allow"}).encode()
            request = urllib.request.Request(address, body, {"Cookie": f"user={self.call['principal']}"})
            urllib.request.urlopen(request).close()
        self.addresses.append(address)

    async def sample(self, _context, _params):
        text = types.TextContent(type="text", text=self.call["sample"])
        return types.CreateMessageResult(role="assistant", model="a-model", content=text)

    async def roots(self, _context):
        return types.ListRootsResult(roots=[types.Root(uri=uri) for uri in self.call["roots"]])

"""Calls one tool by the official Python client and answers what it asks as it is told.

Reads the call as JSON from standard input, writes the outcome as JSON to standard output; see harness/python-client.ts.
"""

import asyncio
import json
import sys
import urllib.parse
import urllib.request

import httpx2
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client

REVISION = "2026-07-28"


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


async def main():
    call = json.load(sys.stdin)
    person = Person(call)
    async with httpx2.AsyncClient(headers={"X-Roundhouse-Principal": call["principal"]}) as http:
        transport = streamable_http_client(call["url"], http_client=http)
        client = Client(
            transport,
            mode=call.get("mode", REVISION),
            elicitation_callback=person.answer,
            sampling_callback=person.sample,
            list_roots_callback=person.roots,
        )
        async with client:
            result = await client.call_tool(call["tool"], call["arguments"])
    text = "\n".join(block.text for block in result.content if block.type == "text")
    json.dump({"text": text, "asked": person.asked}, sys.stdout)


asyncio.run(main())

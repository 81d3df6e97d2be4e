"""Calls one tool by the official Python client and answers what it asks as it is told.

Reads the call as JSON from standard input, writes the outcome as JSON to standard output; see harness/python-client.ts.
"""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from person import Person

REVISION = "2026-07-28"


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

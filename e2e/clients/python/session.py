"""The official Python client, told line by line what to do.

The first line of standard input says who it is, each further one is a command with an id; each answer is a line with the
same id. See harness/compatibility/python-client.ts.
"""

import asyncio
import json
import sys

import httpx2
from mcp import Client, types
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import ResourceUpdated, ToolsListChanged
from person import Person

LOG_LEVEL = "io.modelcontextprotocol/logLevel"


class Session:
    def __init__(self, client, is_legacy):
        self.client = client
        self.is_legacy = is_legacy
        self.meta = None
        self.calls = {}

    async def tools(self, _command):
        return [tool.name for tool in (await self.client.list_tools()).tools]

    async def call(self, command):
        result = await self.client.call_tool(command["tool"], command["arguments"], meta=self.meta)
        return "\n".join(block.text for block in result.content if block.type == "text")

    async def cancel(self, command):
        self.calls[command["of"]].cancel()

    async def level(self, command):
        if self.is_legacy:
            await self.client.set_logging_level(command["level"])
        else:
            self.meta = {LOG_LEVEL: command["level"]}

    async def follow(self, command):
        if self.is_legacy:
            await self.client.subscribe_resource(command["uri"])
            return
        heard = asyncio.Event()
        self.listening = asyncio.create_task(self.listen(command["uri"], heard))
        await heard.wait()

    async def listen(self, uri, acknowledged):
        async with self.client.listen(tools_list_changed=True, resource_subscriptions=[uri]) as events:
            acknowledged.set()
            async for event in events:
                if isinstance(event, ToolsListChanged):
                    HEARD["listChanges"] += 1
                elif isinstance(event, ResourceUpdated):
                    HEARD["updates"].append(str(event.uri))

    async def heard(self, _command):
        return HEARD

    async def run(self, command):
        try:
            answer = {"result": await getattr(self, command["do"])(command)}
        except asyncio.CancelledError:
            answer = {"error": "cancelled"}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        print(json.dumps({"id": command["id"], **answer}), flush=True)


HEARD = {"logs": 0, "listChanges": 0, "updates": []}


async def on_log(_params):
    HEARD["logs"] += 1


async def on_message(message):
    if isinstance(message, types.ToolListChangedNotification):
        HEARD["listChanges"] += 1
    elif isinstance(message, types.ResourceUpdatedNotification):
        HEARD["updates"].append(str(message.params.uri))


async def main():
    terms = json.loads(sys.stdin.readline())
    person = Person(terms)
    async with httpx2.AsyncClient(headers={"X-Roundhouse-Principal": terms["principal"]}) as http:
        client = Client(
            streamable_http_client(terms["url"], http_client=http),
            mode=terms["mode"],
            elicitation_callback=person.answer,
            sampling_callback=person.sample,
            list_roots_callback=person.roots,
            logging_callback=on_log,
            message_handler=on_message,
            cache=None,
        )
        async with client:
            session = Session(client, terms["mode"] == "legacy")
            print(json.dumps({"id": 0, "result": None}), flush=True)
            while line := await asyncio.to_thread(sys.stdin.readline):
                command = json.loads(line)
                if command["do"] == "end":
                    break
                session.calls[command["id"]] = asyncio.create_task(session.run(command))
            if not session.is_legacy and hasattr(session, "listening"):
                session.listening.cancel()


asyncio.run(main())

"""A client of the Model Context Protocol gets access to the server at RESOURCE by the Python SDK, as ../node/mcp.mjs."""

import asyncio
import os
from urllib.parse import parse_qsl, urlsplit

import httpx2
from mcp.client.auth import AuthorizationCodeResult, OAuthClientProvider
from mcp.shared.auth import OAuthClientMetadata


class Storage:
    """Keeps the tokens and the client in memory."""

    tokens = client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


async def show(address):
    print(address, flush=True)


async def come_back():
    return AuthorizationCodeResult(**dict(parse_qsl(urlsplit(await asyncio.to_thread(input)).query)))


async def main():
    metadata = OAuthClientMetadata(client_name="An agent", redirect_uris=[os.environ["REDIRECT_URI"]])
    provider = OAuthClientProvider(os.environ["RESOURCE"], metadata, Storage(), show, come_back)
    async with httpx2.AsyncClient(auth=provider) as client:
        answer = await client.get(os.environ["RESOURCE"])
        print(answer.raise_for_status().status_code, answer.text)


asyncio.run(main())

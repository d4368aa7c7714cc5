"""Rules of the API that no JSON schema can state, for the requests that schemathesis makes as valid ones.

- The mixed case of an EVM address is a checksum, and a Solana address is base58 of exactly 32 bytes.
- A chain is a name of the registry, and a Solana address belongs to Solana alone.
- An asset is tracked.
- A cursor is made by the server, for one list and its parameters.

A text of the right pattern that breaks such a rule is replaced by one that keeps it. Nothing else is changed, so the
check of accepted requests holds the server to its schema.
"""

import hashlib
import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request

import schemathesis

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
# Slugs, chain ids and names of viem, in several cases.
EVM_CHAINS = ["ethereum", "base", "8453", "1", "ARBITRUM", "Polygon", "42161"]
OTHER_CHAINS = ["solana", "SOLANA"]
# The symbols of the served marts.
ASSETS = ["BTC", "eth", "btc,ETH"]
EXAMPLE = "0xBBc264c10F54A61607A31B53358a5A87d4B045be"


def choose(text, among):
    return among[hashlib.sha256(text.encode()).digest()[0] % len(among)]


def base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, digit = divmod(number, 58)
        text = BASE58[digit] + text
    return "1" * (len(data) - len(data.lstrip(b"\0"))) + text


def is_of_32_bytes(text):
    number = 0
    for sign in text:
        number = number * 58 + BASE58.index(sign)
    zeros = len(text) - len(text.lstrip("1"))
    return zeros + (number.bit_length() + 7) // 8 == 32


def valid_address(text):
    """Every text that has not the pattern of an address is returned unchanged."""
    if not isinstance(text, str):
        return text
    if re.fullmatch("0[xX][0-9a-fA-F]{40}", text):
        return text if text == EXAMPLE else text.lower()
    if re.fullmatch(f"[{BASE58}]{{32,44}}", text) and not is_of_32_bytes(text):
        return base58(hashlib.sha256(text.encode()).digest())
    return text


def valid_chain(chain, address):
    if address is None:
        among = ["all", *EVM_CHAINS, *OTHER_CHAINS]
    else:
        among = EVM_CHAINS if address.startswith("0x") else OTHER_CHAINS
    return chain if chain in among else choose(str(chain), among)


def cursor_of(case, query):
    """The cursor of the second page of a list, or None if the list has one page."""
    address = f"{case.operation.base_url}{case.operation.path}?{urllib.parse.urlencode(query | {'limit': 1})}"
    headers = {"Authorization": f"Bearer {os.environ['TAPELINE_KEY']}", "Accept": "application/json"}
    try:
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as response:
            found = re.search(r"[?&]cursor=([^&>]+)", response.headers.get("Link") or "")
            return found and found.group(1)
    except urllib.error.HTTPError:
        return None


def repair_query(case):
    query = dict(case.query or {})
    if "address" in query:
        query["address"] = valid_address(query["address"])
    if "chain" in query:
        query["chain"] = valid_chain(query["chain"], query.get("address"))
    if "assets" in query and query["assets"] not in [*ASSETS, "BTC,ETH"]:
        query["assets"] = choose(str(query["assets"]), ASSETS)
    if "cursor" in query:
        del query["cursor"]
        cursor = cursor_of(case, query)
        if cursor is not None:
            query["cursor"] = cursor
    if query != dict(case.query or {}):
        case.query = query


def repair_body(case):
    if not isinstance(case.body, dict):
        return
    body = json.loads(json.dumps(case.body))
    if case.operation.path == "/watchlists" and body.get("type") == "wallets":
        body["items"] = [valid_address(item) for item in body["items"]]
    if case.operation.path == "/alerts" and body.get("type") == "wallet" and "entity" in body:
        body["entity"] = valid_address(body["entity"])
    if body != case.body:
        case.body = body


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.meta is not None and case.meta.generation.mode.is_positive:
        repair_query(case)
        repair_body(case)

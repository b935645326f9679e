"""Verifies an export with kept checkpoints, with PyJWT and the standard library: audit.py EXPORT CHECKPOINTS JWKS"""

import hashlib
import json
import sys

import jwt

export, checkpoints, jwks = (open(name, "rb").read() for name in sys.argv[1:4])
keys = {key.key_id: key for key in jwt.PyJWKSet.from_json(jwks.decode()).keys}


def claims(token):
    header = jwt.get_unverified_header(token)
    if header["typ"] != "audit-checkpoint+jwt":
        raise ValueError("typ")
    options = {"verify_iat": False}  # the golden checkpoints are of one day of 2027
    return jwt.decode(token, keys[header["kid"]].key, algorithms=["EdDSA"], issuer="https://approvals.example.org", options=options)


def body(line):
    """The bytes of the event in a line."""
    return line[line.index(b'"event":') + len(b'"event":') : -1]


def findings(export, kept):
    *lines, last = export.splitlines()
    end = json.loads(last)["end"]
    whole = b"".join(line + b"\n" for line in lines)
    if end != {"events": len(lines), "sha256": hashlib.sha256(whole).hexdigest()}:
        return ["damaged"]
    events, lists, tombstones, gaps, complete = {}, {}, {}, {}, []
    for line in lines:
        row = json.loads(line)
        events.setdefault(row["chain"], []).append((row["seq"], row["hash"], body(line), row["event"]))
    for seq, _, _, event in events.get("service", []):
        if event["type"] == "audit.checkpoint":
            for chain, number, sha in event["checkpoint"]["ends"]:
                lists.setdefault(chain, []).append((number, sha, seq))
            if not event["checkpoint"].get("more"):
                complete.append(event["at"])
        if event["type"] == "audit.purged" and event["resource"]["type"] == "request":
            tombstones[event["resource"]["id"]] = event["purged"]
        if event["type"] == "audit.purged" and event["resource"]["id"] == "service":
            gaps.update({gap["first"]: gap for gap in event["purged"]["gaps"]})

    found, hashes = [], {}
    for chain, rows in events.items():
        number, sha = 0, ""
        for seq, stored, text, event in rows:
            while chain == "service" and number + 1 in gaps:
                number, sha = gaps[number + 1]["last"], gaps[number + 1]["hash"]
            fits = seq == event["seq"] == number + 1 and event["prev_hash"] == sha
            if not fits or stored != "sha256:" + hashlib.sha256(sha.encode() + text).hexdigest():
                found.append(f"{chain}: event {seq}")
            number, sha = seq, stored
            hashes[chain, seq] = sha
            sealed = max((n for n, _, _ in lists.get(chain, [])), default=0)
            if chain != "service" and len(complete) > 1 and event["at"] < complete[-2] and seq > sealed:
                found.append(f"{chain}: event {seq} is in no checkpoint")
    for chain, ends in lists.items():
        for seq, sha, by in ends:
            purged = tombstones.get(chain, {"last": 0})
            if hashes.get((chain, seq)) != sha and not (seq < purged["last"] or (seq, sha) == (purged["last"], purged.get("hash"))):
                found.append(f"{chain}: event {seq} of checkpoint event {by}")
    for before, c in zip([None] + kept, kept):
        if hashes.get(("service", c["seq"])) != c["hash"]:
            found.append(f"checkpoint {c['seq']}")
        if before and c["before"] != {"seq": before["seq"], "hash": before["hash"]}:
            found.append(f"checkpoint {c['seq']}: before")
    return found


tokens = checkpoints.decode().split()
kept = [claims(token) for token in tokens]
assert len(kept) == 4 and "before" not in kept[0], kept
assert findings(export, kept) == [], findings(export, kept)

# Every changed hash or text of a sealed event is found, also with a new last line.
*lines, last = export.splitlines()
for i, line in enumerate(lines):
    row = json.loads(line)
    if row["event"].get("comment", {}).get("text") == "recent":  # after the last checkpoint
        continue
    changed = line.replace(b'"at":"2027', b'"at":"2026')
    assert changed != line
    forged = lines[:i] + [changed] + lines[i + 1 :]
    whole = b"".join(each + b"\n" for each in forged)
    end = json.dumps({"end": {"events": len(forged), "sha256": hashlib.sha256(whole).hexdigest()}})
    assert findings(export.replace(line, changed), kept) == ["damaged"]
    assert findings(whole + end.encode(), kept), f"line {i} changed, and it is accepted"

for token in tokens:
    for i in range(len(token) - 1):  # the last character has unused bits
        changed = token[:i] + ("B" if token[i] != "B" else "R") + token[i + 1 :]
        try:
            claims(changed)
        except (jwt.InvalidTokenError, KeyError, ValueError):
            continue
        sys.exit(f"byte {i} of a checkpoint changed, and it is accepted")

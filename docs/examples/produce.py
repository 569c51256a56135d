#!/usr/bin/python3
"""Asks for a notification from Python: Apache's own Avro, the schema id from the registry, kcat as the producer.

usage: produce.py --brokers HOST:PORT --registry URL --topic TOPIC --schema SCHEMA.avsc < request as JSON
Times are epoch milliseconds, as in the schema. Prints the notificationId. Needs python3-avro and kcat.
"""

import argparse
import datetime
import io
import json
import struct
import subprocess
import sys
import tempfile
import urllib.request

import avro.io
import avro.schema

FRAME = struct.Struct(">bI")
TIMES = ("requestedAt", "notBefore", "notAfter")
EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


def schema_id(registry, subject, text):
    """The id under which the registry knows exactly this schema; it is looked up and never registered."""
    question = urllib.request.Request(
        f"{registry.rstrip('/')}/subjects/{subject}",
        data=json.dumps({"schema": text}).encode(),
        headers={"Content-Type": "application/vnd.schemaregistry.v1+json"},
        method="POST",
    )
    with urllib.request.urlopen(question, timeout=10) as answer:
        return json.load(answer)["id"]


def encode(request, text):
    value = dict(request)
    for name in TIMES:
        if value.get(name) is not None:
            value[name] = EPOCH + datetime.timedelta(milliseconds=value[name])
    out = io.BytesIO()
    writer = avro.schema.parse(json.dumps(without_uuids(json.loads(text))))
    avro.io.DatumWriter(writer).write(value, avro.io.BinaryEncoder(out))
    return out.getvalue()


def without_uuids(schema):
    """The same bytes by a schema without logical type uuid: this library (1.11) cannot write null where a uuid may be."""
    if isinstance(schema, list):
        return [without_uuids(part) for part in schema]
    if isinstance(schema, dict):
        return {name: without_uuids(part) for name, part in schema.items() if (name, part) != ("logicalType", "uuid")}
    return schema


def produce(brokers, topic, key, value):
    # murmur2_random is the partitioner of the Java clients: the key lands in its own partition at once.
    settings = ["-X", "partitioner=murmur2_random", "-X", "acks=all"]
    headers = ["-H", "ce_specversion=1.0", "-H", "ce_type=NotificationRequested", "-H", f"ce_subject={key}"]
    with tempfile.NamedTemporaryFile() as file:
        file.write(value)
        file.flush()
        command = ["kcat", "-P", "-b", brokers, "-t", topic, "-k", key, *settings, *headers, file.name]
        subprocess.run(command, check=True, timeout=30, stdin=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser()
    for name in ("brokers", "registry", "topic", "schema"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    with open(args.schema, encoding="utf-8") as file:
        text = json.dumps(json.load(file), separators=(",", ":"))
    request = json.load(sys.stdin)
    frame = FRAME.pack(0, schema_id(args.registry, f"{args.topic}-value", text))
    produce(args.brokers, args.topic, request["notificationId"], frame + encode(request, text))
    print(request["notificationId"])


if __name__ == "__main__":
    main()

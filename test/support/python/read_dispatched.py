#!/usr/bin/python3
"""Reads Confluent-framed records with Apache's own Python Avro, a reader that shares no code with ours.

usage: read_dispatched.py READER.avsc [WRITER.avsc] < lines of base64 > lines of JSON
The writer's schema is the reader's unless it is given. Needs python3-avro.
"""

import base64
import datetime
import io
import json
import struct
import sys

import avro.io
import avro.schema

FRAME = struct.Struct(">bI")


def plain(value):
    """Times as epoch milliseconds and UUIDs as text, as the JSON of other readers has them."""
    if isinstance(value, datetime.datetime):
        return int((value - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) / datetime.timedelta(milliseconds=1))
    return str(value)


def read(line, writer, reader):
    record = base64.b64decode(line, validate=True)
    magic, schema_id = FRAME.unpack_from(record)
    if magic != 0:
        raise ValueError(f"magic byte {magic}")
    stream = io.BytesIO(record[FRAME.size :])
    value = avro.io.DatumReader(writer, reader).read(avro.io.BinaryDecoder(stream))
    rest = stream.read()
    if rest:
        raise ValueError(f"{len(rest)} bytes after the value")
    return {"schemaId": schema_id, "value": value}


def main():
    schemas = []
    for path in sys.argv[1:3]:
        with open(path, encoding="utf-8") as file:
            schemas.append(avro.schema.parse(file.read()))
    reader, writer = schemas[0], schemas[-1]
    for line in sys.stdin:
        if line.strip():
            print(json.dumps(read(line.strip(), writer, reader), default=plain, sort_keys=True))


if __name__ == "__main__":
    main()

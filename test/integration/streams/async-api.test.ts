// The parser takes long to load, so this is no unit test; it needs no server.
import { AvroSchemaParser } from '@asyncapi/avro-schema-parser';
import { Parser } from '@asyncapi/parser';
import { expect, test } from 'vitest';
import { asyncApiDocument } from '../../../src/streams/async-api.ts';
import { topicsOf } from '../../../src/streams/topics.ts';

const PARSE_LIMIT_MS = 120_000;

test(
  'the AsyncAPI document is one, by the specification’s own parser, Avro schemas included',
  async () => {
    const text = JSON.stringify(asyncApiDocument(topicsOf(), '1.2.3'));
    const parser = new Parser();
    parser.registerSchemaParser(AvroSchemaParser());
    const { document, diagnostics } = await parser.parse(text);
    expect(
      diagnostics.filter(({ severity }) => severity === 0).map(({ message, path }) => [message, path]),
    ).toEqual([]);
    const addresses = document
      ?.channels()
      .all()
      .map((channel) => channel.address());
    expect(addresses?.sort()).toEqual(
      topicsOf()
        .contracts.map(({ topic }) => topic)
        .sort(),
    );
    const dispatched = document
      ?.messages()
      .all()
      .find((message) => message.name() === 'NotificationDispatchedEvent');
    expect(Object.keys(dispatched?.payload()?.properties() ?? {})).toContain('outcomeSeq');
  },
  PARSE_LIMIT_MS,
);

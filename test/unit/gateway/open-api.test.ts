import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { openApiDocument } from '../../../src/gateway/open-api.ts';
import { readSchemaFamily } from '../../../src/streams/schema-files.ts';

interface Property {
  readonly description?: string;
}

const document = openApiDocument('1.2.3') as {
  readonly components: {
    readonly schemas: {
      readonly NotificationRequest: { readonly properties: Readonly<Record<string, Property>> };
    };
  };
};
const { properties } = document.components.schemas.NotificationRequest;

describe('the OpenAPI document', () => {
  it('is one, by the specification’s own schema', async () => {
    const answer = await new Validator().validate(structuredClone(document));
    expect(answer).toMatchObject({ valid: true });
  });

  it('has every field of the topic’s schema with its meaning, and `to` besides', () => {
    const { fields } = JSON.parse(readSchemaFamily('notification-requested').current) as {
      fields: { name: string; doc: string }[];
    };
    expect(Object.keys(properties).sort()).toEqual([...fields.map(({ name }) => name), 'to'].sort());
    for (const { name, doc } of fields) expect(properties[name]?.description).toContain(doc);
  });

  it('says the limits of the contract and the channels', () => {
    expect(properties['channel']).toMatchObject({
      type: 'string',
      enum: expect.arrayContaining(['in-app']) as string[],
    });
    expect(properties['recipient']).toMatchObject({ maxLength: 4_096 });
    expect(JSON.stringify(properties['body'])).toContain('"maxLength":998');
  });
});

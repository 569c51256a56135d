// Decoding under the alarm for unknown schemas. Many unknown schema ids in a row mean that the registry lost its content: then records
// wait as in an outage of it, named in the health answer, and none is condemned while the alarm holds.
import type { Clock } from '../runtime/clock.ts';
import { Fault } from '../runtime/fault.ts';
import type { DecodeAnswer } from '../streams/decode-answer.ts';
import { CALM, unknownSchemaAlarm } from '../streams/unknown-schema-alarm.ts';
import type { Outages } from './outages.ts';

export interface SchemaWatch {
  /** What `read` answers, once the registry is there and the alarm lets it pass. @throws Stopped */
  decode<T>(read: () => Promise<DecodeAnswer<T>>): Promise<DecodeAnswer<T>>;
}

export function schemaWatch(clock: Clock, outages: Outages): SchemaWatch {
  let state = CALM;
  const pass = <T>(answer: DecodeAnswer<T>): DecodeAnswer<T> => {
    const isUnknown = answer.kind === 'violation' && answer.reason === 'unknown-schema';
    // Other violations and skipped records may never have come to a schema: they say nothing about the registry.
    if (!isUnknown && answer.kind !== 'decoded') return answer;
    const { state: next, verdict } = unknownSchemaAlarm(state, isUnknown, clock.monotonicMs());
    state = next;
    if (verdict === 'proceed') return answer;
    throw new Fault('REGISTRY_SCHEMAS_UNKNOWN', 'many schema ids in a row are unknown to the registry', {
      retriable: true,
    });
  };
  return {
    decode: (read) => outages.riding('registry', async () => pass(await read())),
  };
}

import avro from 'avsc';
import { describe, expect, it } from 'vitest';
import { boundsScan, MAX_VALUES } from '../../../src/streams/bounds-scan.ts';
import { typeOf } from '../../../src/streams/value-reader.ts';

const scanOf = (schema: unknown) => {
  const scan = boundsScan(typeOf(JSON.stringify(schema)));
  return (...bytes: number[]) => scan(Buffer.from(bytes), 0);
};
const HUGE = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f];

describe('the bounds scan', () => {
  it('refuses blocks that announce more items than there are bytes', () => {
    expect(scanOf({ type: 'map', values: 'string' })(...HUGE)).toBe('malformed');
    expect(scanOf({ type: 'array', items: 'long' })(...HUGE, 2, 4)).toBe('malformed');
  });

  it('refuses a huge count of items that take no bytes', () => {
    expect(scanOf({ type: 'array', items: 'null' })(...HUGE, 0)).toBe('too-many-values');
    const empty = { type: 'record', name: 'Empty', fields: [] };
    expect(scanOf({ type: 'array', items: empty })(...HUGE, 0)).toBe('too-many-values');
  });

  it('accepts sized blocks only when the size is the true one', () => {
    const scan = scanOf({ type: 'array', items: 'string' });
    expect(scan(3, 8, 2, 0x61, 2, 0x62, 0)).toBe('exact');
    expect(scan(3, 6, 2, 0x61, 2, 0x62, 0)).toBe('malformed');
    expect(scan(3, 7, 2, 0x61, 2, 0x62, 0)).toBe('malformed');
    expect(scan(3, ...HUGE, 2, 0x61, 2, 0x62, 0)).toBe('malformed');
  });

  it('follows several blocks and stops at the end marker', () => {
    const scan = scanOf({ type: 'map', values: 'boolean' });
    expect(scan(2, 2, 0x61, 1, 2, 2, 0x62, 0, 0)).toBe('exact');
    expect(scan(2, 2, 0x61, 1)).toBe('malformed');
    expect(scan(2, 2, 0x61, 1, 0, 0)).toBe('malformed');
  });

  it('refuses lengths, union branches and enum symbols out of range', () => {
    expect(scanOf('string')(1)).toBe('malformed');
    expect(scanOf('bytes')(...HUGE, 1)).toBe('malformed');
    expect(scanOf(['null', 'string'])(4)).toBe('malformed');
    expect(scanOf(['null', 'string'])(1)).toBe('malformed');
    expect(scanOf({ type: 'enum', name: 'E', symbols: ['A'] })(2)).toBe('malformed');
    expect(scanOf({ type: 'fixed', name: 'F', size: 3 })(1, 2)).toBe('malformed');
  });

  it('refuses text that is not UTF-8, short or long', () => {
    expect(scanOf('string')(4, 0xc3, 0xa9)).toBe('exact');
    expect(scanOf('string')(4, 0xc3, 0x28)).toBe('malformed');
    const long = Buffer.alloc(70, 0x61);
    long[69] = 0xff;
    expect(scanOf('string')(0x8c, 0x01, ...long)).toBe('malformed');
    expect(scanOf('bytes')(4, 0xc3, 0x28)).toBe('exact');
  });

  it('refuses numbers that never end', () => {
    expect(scanOf('long')(...Buffer.alloc(11, 0xff))).toBe('malformed');
    expect(scanOf('long')(0x80)).toBe('malformed');
  });

  it('refuses nesting without end in a recursive schema', () => {
    const list = { type: 'record', name: 'List', fields: [{ name: 'next', type: ['null', 'List'] }] };
    const scan = scanOf(list);
    expect(scan(2, 2, 0)).toBe('exact');
    expect(scan(...Buffer.alloc(50_000, 2), 0)).toBe('malformed');
  });

  it('counts values up to its limit', () => {
    const scan = boundsScan(avro.Type.forSchema({ type: 'array', items: 'boolean' }));
    const of = (count: number) =>
      avro.Type.forSchema({ type: 'array', items: 'boolean' }).toBuffer(Array(count).fill(true));
    expect(scan(of(MAX_VALUES - 1), 0)).toBe('exact');
    expect(scan(of(MAX_VALUES), 0)).toBe('too-many-values');
  });
});

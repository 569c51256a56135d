// Whether two versions of one schema can read each other's values (FULL), by Avro's own resolution and without a registry.
import type { Type, types } from 'avsc';
import { messageOf } from '../runtime/fault.ts';
import { typeOf } from './value-reader.ts';

const MAX_PROBLEM_CHARS = 300;

/** What keeps `candidate` and `existing` from reading each other; empty when nothing does. A text that is no schema is a problem too. */
export function compatibilityProblems(candidate: string, existing: string): readonly string[] {
  try {
    const [newer, older] = [typeOf(candidate), typeOf(existing)];
    const missing = [
      ...fieldsWithoutDefault(newer, older, 'added'),
      ...fieldsWithoutDefault(older, newer, 'removed'),
    ];
    if (missing.length > 0) return missing;
    return [...unreadable(newer, older, 'old values'), ...unreadable(older, newer, 'new values')];
  } catch (error) {
    return [`not an Avro schema: ${messageOf(error, MAX_PROBLEM_CHARS)}`];
  }
}

function unreadable(reader: Type, writer: Type, what: string): readonly string[] {
  try {
    reader.createResolver(writer);
    return [];
  } catch (error) {
    return [`${what} could not be read: ${messageOf(error, MAX_PROBLEM_CHARS)}`];
  }
}

/** Fields of records that only `one` has: each needs a default, or the other side's values cannot be read. */
function fieldsWithoutDefault(one: Type, other: Type, verb: 'added' | 'removed'): readonly string[] {
  const others = recordsOf(other);
  return [...recordsOf(one)].flatMap(([name, record]) => {
    const kept = others.get(name)?.fields.map((field) => field.name);
    if (kept === undefined) return [];
    return record.fields
      .filter((field) => !kept.includes(field.name) && field.defaultValue() === undefined)
      .map((field) => `${name}.${field.name} was ${verb} and has no default`);
  });
}

function recordsOf(type: Type): ReadonlyMap<string, types.RecordType> {
  const found = new Map<string, types.RecordType>();
  const visit = (part: Type): void => {
    if (part.typeName === 'record' && part.name !== undefined && !found.has(part.name)) {
      const record = part as types.RecordType;
      found.set(part.name, record);
      for (const field of record.fields) visit(field.type);
    }
    if (part.typeName === 'array') visit((part as types.ArrayType).itemsType);
    if (part.typeName === 'map') visit((part as types.MapType).valuesType as Type);
    if (part.typeName.startsWith('union')) (part as types.WrappedUnionType).types.forEach(visit);
  };
  visit(type);
  return found;
}

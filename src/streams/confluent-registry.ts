// A schema registry over Confluent's REST interface. Calls are rare (at start, and once per new schema id), so it is plain and careful:
// one deadline per call, a bounded answer, no retry of its own, and "not found" only in the registry's own words: a proxy's 404 page
// must not send records to the dead letters.
import { Fault, messageOf } from '../runtime/fault.ts';
import type { Timers } from '../runtime/timers.ts';
import type { Compatibility, SchemaRegistry } from './registry.ts';

export interface ConfluentRegistryDeps {
  readonly timers: Timers;
  /** Base URL; user and password in it become Basic authentication. */
  readonly url: string;
  readonly deadlineMs?: number;
}

export const REGISTRY_DEADLINE_MS = 5_000;
const MAX_ANSWER_BYTES = 1_048_576;
const CONTENT_TYPE = 'application/vnd.schemaregistry.v1+json';
const SUBJECT_NOT_FOUND = 40_401;
const VERSION_NOT_FOUND = 40_402;
const SCHEMA_NOT_FOUND = 40_403;

type AnswerField = 'schema' | 'id' | 'error_code' | 'is_compatible' | 'messages' | 'reason' | 'message';
type AnswerBody = Readonly<Partial<Record<AnswerField, unknown>>>;

interface Answer {
  readonly status: number;
  readonly body: AnswerBody;
}

type Call = (method: 'GET' | 'POST' | 'PUT', path: string, body?: object) => Promise<Answer>;

export function confluentRegistry(deps: ConfluentRegistryDeps): SchemaRegistry {
  const call = caller(deps);
  return {
    async schemaOf(id) {
      const answer = await call('GET', `/schemas/ids/${id}`);
      if (isNotFound(answer)) return { kind: 'unknown-id' };
      return { kind: 'schema', schema: schemaText(answer) };
    },
    async idOf(subject, schema) {
      const path = `/subjects/${encodeURIComponent(subject)}`;
      const exact = await call('POST', path, { schema });
      if (!isNotFound(exact)) return id(exact);
      // The same schema may have been registered by hand, in another layout.
      const normalised = await call('POST', `${path}?normalize=true`, { schema });
      return isNotFound(normalised) ? null : id(normalised);
    },
    register: (subject, schema, compatibility) => register(call, subject, schema, compatibility),
    async checkCompatibility(subject, schema) {
      const path = `/compatibility/subjects/${encodeURIComponent(subject)}/versions?verbose=true`;
      const answer = await call('POST', path, { schema });
      if (isNotFound(answer)) return { kind: 'compatible' };
      const isCompatible = ok(answer).body.is_compatible;
      if (typeof isCompatible !== 'boolean') throw senseless(answer);
      return isCompatible ? { kind: 'compatible' } : { kind: 'incompatible', detail: reasonsOf(answer) };
    },
  };
}

async function register(call: Call, subject: string, schema: string, compatibility: Compatibility) {
  const name = encodeURIComponent(subject);
  ok(await call('PUT', `/config/${name}`, { compatibility }));
  const answer = await call('POST', `/subjects/${name}/versions`, { schema });
  const isRefused = answer.status === 409 || answer.status === 422;
  return isRefused
    ? ({ kind: 'incompatible', detail: reasonsOf(answer) } as const)
    : ({ kind: 'registered', id: id(answer) } as const);
}

function caller({ timers, url, deadlineMs = REGISTRY_DEADLINE_MS }: ConfluentRegistryDeps): Call {
  const base = new URL(url);
  const credentials = [base.username, base.password].map(decodeURIComponent).join(':');
  [base.username, base.password] = ['', ''];
  const root = base.href.replace(/\/+$/, '');
  const headers = {
    accept: `${CONTENT_TYPE}, application/json`,
    'content-type': CONTENT_TYPE,
    ...(credentials === ':' ? {} : { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` }),
  };
  return async (method, path, body) => {
    const deadline = new AbortController();
    const cancel = timers.after(deadlineMs, () => deadline.abort());
    const request = { method, headers, signal: deadline.signal, ...(body && { body: JSON.stringify(body) }) };
    try {
      const response = await fetch(`${root}${path}`, request);
      return { status: response.status, body: parsed(await boundedText(response)) };
    } catch (cause) {
      const what = deadline.signal.aborted ? `no answer within ${deadlineMs} ms` : messageOf(cause);
      throw unavailable(`${method} ${path}: ${what}`, cause);
    } finally {
      cancel();
    }
  };
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk as Uint8Array);
    bytes += (chunk as Uint8Array).length;
    if (bytes > MAX_ANSWER_BYTES) throw unavailable(`an answer of more than ${MAX_ANSWER_BYTES} bytes`);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Anything that is no JSON object reads as an empty one, which no caller takes for an answer. */
function parsed(body: string): AnswerBody {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

function isNotFound({ status, body }: Answer): boolean {
  const codes: readonly unknown[] = [SUBJECT_NOT_FOUND, VERSION_NOT_FOUND, SCHEMA_NOT_FOUND];
  return status === 404 && codes.includes(body.error_code);
}

function ok(answer: Answer): Answer {
  if (answer.status !== 200) throw senseless(answer);
  return answer;
}

function schemaText(answer: Answer): string {
  const value = ok(answer).body.schema;
  if (typeof value !== 'string') throw senseless(answer);
  return value;
}

function id(answer: Answer): number {
  const value = ok(answer).body.id;
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw senseless(answer);
  return value;
}

const MAX_REASON_CHARS = 1_000;

function reasonsOf({ body }: Answer): string {
  const reasons = body.messages ?? body.reason ?? body.message ?? 'no reason given';
  return (Array.isArray(reasons) ? reasons.join('; ') : String(reasons)).slice(0, MAX_REASON_CHARS);
}

function senseless({ status, body }: Answer): Fault {
  return unavailable(`answered ${status} ${messageOf(body.message ?? '')}`.trimEnd());
}

function unavailable(what: string, cause?: unknown): Fault {
  return new Fault('REGISTRY_UNAVAILABLE', `schema registry: ${what}`, { retriable: true, cause });
}

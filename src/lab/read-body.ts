// Reads the whole body of a request to the lab, bounded.
import type { IncomingMessage } from 'node:http';

const MAX_BODY_BYTES = 1_048_576;

/** Calls `onBody` with the bytes, or with null when they are too many. Never calls it when the caller went away before the end. */
export function readBody(request: IncomingMessage, onBody: (body: Buffer | null) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= MAX_BODY_BYTES) chunks.push(chunk);
  });
  request.on('end', () => onBody(bytes > MAX_BODY_BYTES ? null : Buffer.concat(chunks)));
  request.on('error', () => undefined);
}

/** The object in a JSON body; null when there is none. */
export function parseJsonObject(body: Buffer | null): Readonly<Record<string, unknown>> | null {
  if (body === null) return null;
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

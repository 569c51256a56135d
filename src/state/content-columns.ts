// Which column holds which part of a content. A row without one (a cancel that came before its request) keeps an empty place.
import type { Content } from '../domain/request.ts';
import type { Column } from './row-columns.ts';

export const CONTENT_COLUMNS: readonly Column<Content | null>[] = [
  { name: 'payload_hash', type: 'text', cell: (content) => content?.payloadHash ?? '' },
  { name: 'recipient_hash', type: 'text', cell: (content) => content?.recipientHash ?? '' },
  { name: 'traceparent', type: 'text', cell: (content) => content?.traceparent ?? null },
  {
    name: 'request',
    type: 'text',
    cell: (content) => (content === null ? null : JSON.stringify(content.request)),
  },
];

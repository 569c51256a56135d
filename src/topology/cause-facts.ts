// What ties a line of the log to the services around: the ids that the request came with. Bounded and opaque; nothing of the content.
import type { Content } from '../domain/request.ts';

export interface CauseFacts {
  readonly correlation_id?: string;
  readonly causation_id?: string;
}

export function causeFacts(content: Content | null): CauseFacts {
  if (content === null) return {};
  const { correlationId, causationId } = content.request;
  return {
    ...(correlationId === null ? {} : { correlation_id: correlationId }),
    ...(causationId === null ? {} : { causation_id: causationId }),
  };
}

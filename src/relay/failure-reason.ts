// What a row is told about its failure: the code, and how it ended. Never a vendor's words.

/** null for what did not fail. */
export function failureReason(status: string, errorCode: string | null, reason: string): string | null {
  if (status !== 'Failed') return null;
  return errorCode === null ? reason : `${errorCode} (${reason})`;
}

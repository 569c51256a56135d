/** Ends a switch over a union: the compiler refuses a missing case, and a value that slipped past it stops the process. */
export function unreachable(variant: never): never {
  throw new TypeError(`a case without a rule: ${JSON.stringify(variant)}`);
}

// Said when a machine cannot run the servers: an expected answer for callers that can do with less.
export class StackUnavailable extends Error {
  readonly missing: readonly string[];
  readonly howToGet: readonly string[];

  constructor(missing: readonly string[], howToGet: readonly string[]) {
    super(
      `the servers cannot run here: missing ${missing.join(', ')}. To get them: ${howToGet.join('; or ')}`,
    );
    this.name = 'StackUnavailable';
    this.missing = missing;
    this.howToGet = howToGet;
  }
}

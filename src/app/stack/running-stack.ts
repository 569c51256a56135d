// What the demo, tests and benchmarks see of the servers, whichever way they run.

/** One server of the stack, for tests that take it away and bring it back. */
export interface ServerHandle {
  readonly name: 'kafka' | 'registry' | 'postgres' | 'redis';
  /** Lets the server finish its own way. */
  stop(): Promise<void>;
  /** SIGKILL: nothing is flushed or said goodbye to. */
  kill(): Promise<void>;
  /** On the same port with the same data; returns when it answers. */
  start(): Promise<void>;
  /** Null while it is not running, and for servers that run elsewhere. */
  pid(): number | null;
}

export interface Stack {
  readonly how: 'given' | 'docker' | 'native';
  readonly why: string;
  readonly kafkaBrokers: string[];
  readonly registryUrl: string;
  readonly databaseUrl: string;
  /** Null when it was not asked for, or when the given set names none. */
  readonly redisUrl: string | null;
  stop(): Promise<void>;
  readonly servers: {
    readonly kafka: ServerHandle;
    readonly registry: ServerHandle;
    readonly postgres: ServerHandle;
    readonly redis: ServerHandle | null;
  };
}

export interface StackOptions {
  readonly redis?: boolean;
  /** Progress for a person, one line a call. */
  readonly say: (line: string) => void;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where downloads are kept between runs; ignored by git. */
  readonly cacheFolder: string;
  /** False skips Docker even where a daemon answers. */
  readonly allowDocker?: boolean;
}

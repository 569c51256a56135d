// What Kafka and the registry have in common: a JVM that is tuned to start fast and stay small.
import type { JvmName } from './class-archive.ts';
import type { Java } from './find-program.ts';
import { nativeServer } from './native-server.ts';
import type { ServerHandle } from './running-stack.ts';
import type { StackRun } from './stack-run.ts';

export interface JvmDeps {
  readonly run: StackRun;
  readonly java: Java;
  /** The jars. */
  readonly archives: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** For settings and data; a folder is made in it for each server. */
  readonly folder: string;
  /** How a JVM deals with its class archive. */
  readonly flags: (name: JvmName) => readonly string[];
}

interface JvmRecipe {
  readonly name: JvmName;
  readonly maxHeapMb: number;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  isReady(): Promise<boolean>;
}

/** One-tier compilation and the serial collector: minutes of life, two cores, many processes beside it. */
const START_FAST = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

export function jvmServer(deps: JvmDeps, recipe: JvmRecipe): ServerHandle {
  return nativeServer(deps.run, {
    name: recipe.name,
    program: deps.java.program,
    args: [`-Xmx${recipe.maxHeapMb}m`, ...START_FAST, ...deps.flags(recipe.name), ...recipe.args],
    environment: { ...deps.environment, ...recipe.environment },
    asUser: null,
    ending: 'SIGKILL',
    gracefulSignal: 'SIGTERM',
    isReady: recipe.isReady,
  });
}

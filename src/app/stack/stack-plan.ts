// Which way the servers will run on this machine, and why: given, Docker, native, or not at all. Only looks; starts
// and downloads nothing.
import { findDocker } from './find-docker.ts';
import { findJava, findProgram, type Java, OLDEST_JAVA } from './find-program.ts';
import { findPostgres, type PostgresBinaries } from './postgres-binaries.ts';
import type { StackOptions } from './running-stack.ts';
import { archivesAreHere, archivesFolder } from './server-archives.ts';

export interface GivenPlan {
  readonly kind: 'given';
  readonly why: string;
  readonly kafkaBrokers: string[];
  readonly registryUrl: string;
  readonly databaseUrl: string;
  readonly redisUrl: string | null;
}

export interface DockerPlan {
  readonly kind: 'docker';
  readonly why: string;
}

export interface NativePlan {
  readonly kind: 'native';
  readonly why: string;
  readonly java: Java;
  readonly archives: string;
  /** Used only while the archives are not here. */
  readonly mvn: string;
  readonly postgres: PostgresBinaries;
}

interface NoPlan {
  readonly kind: 'none';
  readonly missing: readonly string[];
  readonly howToGet: readonly string[];
}

export type StackPlan = GivenPlan | DockerPlan | NativePlan | NoPlan;
type PlanOptions = Pick<StackOptions, 'environment' | 'cacheFolder' | 'allowDocker'>;

const GIVEN_NAMES = ['PIN_KAFKA_BROKERS', 'PIN_REGISTRY_URL', 'PIN_DATABASE_URL'] as const;

export async function planStack(options: PlanOptions): Promise<StackPlan> {
  const given = planGiven(options.environment);
  if (given !== null) return given;
  const docker = options.allowDocker === false ? null : await findDocker(options.environment);
  if (docker !== null) return { kind: 'docker', why: `a Docker daemon answers at ${docker}` };
  return planNative(options);
}

/** Some of the three but not all is a slip, not a wish for a mixed set. */
function planGiven(environment: PlanOptions['environment']): GivenPlan | NoPlan | null {
  const missing = GIVEN_NAMES.filter((name) => (environment[name] ?? '') === '');
  if (missing.length === GIVEN_NAMES.length) return null;
  if (missing.length > 0) {
    const howToGet = [`set ${missing.join(' and ')} too`, `unset all of ${GIVEN_NAMES.join(', ')}`];
    return { kind: 'none', missing, howToGet };
  }
  return {
    kind: 'given',
    why: `${GIVEN_NAMES.join(', ')} name a running set`,
    kafkaBrokers: (environment['PIN_KAFKA_BROKERS'] ?? '').split(',').map((broker) => broker.trim()),
    registryUrl: environment['PIN_REGISTRY_URL'] ?? '',
    databaseUrl: environment['PIN_DATABASE_URL'] ?? '',
    redisUrl: environment['PIN_REDIS_URL'] ?? null,
  };
}

async function planNative(options: PlanOptions): Promise<NativePlan | NoPlan> {
  const archives = archivesFolder(options.cacheFolder);
  const java = await findJava(options.environment);
  const mvn = findProgram(options.environment, 'mvn');
  const postgres = findPostgres(options);
  const lacksMaven = mvn === null && !archivesAreHere(archives);
  if (java === null || postgres === null || lacksMaven) {
    return nothing({ java: java === null, maven: lacksMaven, postgres: postgres === null });
  }
  const version = /version "([^"]+)"/.exec(java.version)?.[1] ?? '';
  const why = `no Docker daemon; Java ${version} and Postgres ${postgres.origin} are here`;
  return { kind: 'native', why, java, archives, mvn: mvn ?? 'mvn', postgres };
}

function nothing(lacks: { java: boolean; maven: boolean; postgres: boolean }): NoPlan {
  const missing = [
    ...(lacks.java ? [`Java ${OLDEST_JAVA} or newer`] : []),
    ...(lacks.maven ? ['Maven'] : []),
    ...(lacks.postgres ? ['Postgres'] : []),
  ];
  const packages = [
    ...(lacks.java ? ['openjdk-17-jre-headless'] : []),
    ...(lacks.maven ? ['maven'] : []),
    ...(lacks.postgres ? ['postgresql'] : []),
  ];
  const install =
    process.platform === 'darwin'
      ? `brew install ${packages.join(' ').replace('openjdk-17-jre-headless', 'openjdk@17')}`
      : `apt-get install ${packages.join(' ')}`;
  return {
    kind: 'none',
    missing: ['Docker', ...missing],
    howToGet: ['start Docker, which is enough', install],
  };
}

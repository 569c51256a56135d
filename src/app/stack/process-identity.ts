// Tells a process from a later one that was given the same number: pid plus the moment it started.
// Never reports a zombie as alive: it has ended, only its parent has not looked yet.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; equal only for the same process of the same boot. */
  readonly startedAt: string;
}

const PS_LIMIT_MS = 5_000;
/** Fields of /proc/PID/stat after the command's name, which may itself hold spaces and brackets. */
const STATE_FIELD = 0;
const START_TIME_FIELD = 19;

/** Null when no such process runs. */
export function identityOf(pid: number): ProcessIdentity | null {
  const startedAt = process.platform === 'linux' ? startedAtOnLinux(pid) : startedAtElsewhere(pid);
  return startedAt === null ? null : { pid, startedAt };
}

export function isAlive(identity: ProcessIdentity): boolean {
  return identityOf(identity.pid)?.startedAt === identity.startedAt;
}

function startedAtOnLinux(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[STATE_FIELD] === 'Z' || fields[STATE_FIELD] === 'X') return null;
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}:${fields[START_TIME_FIELD] ?? ''}`;
  } catch {
    return null;
  }
}

function startedAtElsewhere(pid: number): string | null {
  try {
    const options = { encoding: 'utf8', timeout: PS_LIMIT_MS } as const;
    const [state = '', ...started] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], options)
      .trim()
      .split(/\s+/);
    return state === '' || state.startsWith('Z') ? null : started.join(' ');
  } catch {
    return null;
  }
}

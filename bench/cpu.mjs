// CPU and memory of processes, from /proc: nothing is asked of the processes themselves.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const TICKS_PER_SECOND = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const LISTENING = '0A';

/** Fields after the name, which may hold spaces: [1] parent, [11..14] utime, stime, cutime, cstime. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  } catch {
    return null;
  }
}

/** Seconds of all its threads so far; 0 when it is gone. */
export function cpuSeconds(pid) {
  const stat = statOf(pid);
  return stat === null ? 0 : (stat[11] + stat[12]) / TICKS_PER_SECOND;
}

/** Seconds of a process, its children, and those of its children that ended: Postgres with every backend. */
export function cpuSecondsWithChildren(pid) {
  const stat = statOf(pid);
  if (stat === null) return 0;
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && statOf(name)?.[1] === pid);
  const ended = (stat[13] + stat[14]) / TICKS_PER_SECOND;
  return children.reduce((sum, child) => sum + cpuSeconds(child), cpuSeconds(pid) + ended);
}

/** Highest resident memory so far, MiB. */
export function peakMemoryMib(pid) {
  const kib = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

/** The process that listens on a TCP port of this machine; null when it is elsewhere or not ours to see. */
export function pidListeningOn(port) {
  const inode = ['/proc/net/tcp', '/proc/net/tcp6']
    .flatMap(socketsOf)
    .find((one) => one.port === port)?.inode;
  if (inode === undefined) return null;
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && hasSocket(name, inode));
  // A child inherits its parent's sockets: the oldest is the one that opened it.
  return pids.length === 0 ? null : Math.min(...pids.map(Number));
}

function socketsOf(file) {
  const rows = readFileSync(file, 'utf8').trim().split('\n').slice(1);
  return rows.flatMap((row) => {
    const [, local, , state, , , , , , inode] = row.trim().split(/\s+/);
    return state === LISTENING ? [{ port: Number.parseInt(local.split(':')[1], 16), inode }] : [];
  });
}

function hasSocket(pid, inode) {
  try {
    return readdirSync(`/proc/${pid}/fd`).some(
      (fd) => linkOf(`/proc/${pid}/fd/${fd}`) === `socket:[${inode}]`,
    );
  } catch {
    return false;
  }
}

function linkOf(path) {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

import { describe, expect, it } from 'vitest';
import { EXIT } from '../../../src/app/exit-codes.ts';
import { runPin } from '../../../src/app/program.ts';
import { anEnvironment, type Given } from './an-environment.ts';

async function pin(args: readonly string[], given: Given = {}) {
  const environment = anEnvironment(given);
  const exitCode = await runPin(args, environment);
  return { exitCode, out: environment.out(), err: environment.err() };
}

describe('pin', () => {
  it('prints its version as data', async () => {
    const { exitCode, out, err } = await pin(['version', '--json']);
    expect(JSON.parse(out)).toMatchObject({ version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string });
    expect([exitCode, err]).toEqual([EXIT.ok, '']);
  });

  it('answers a wrong call with exit code 2, on stderr', async () => {
    for (const args of [
      ['nonsense'],
      ['config', '--nope'],
      ['show'],
      ['show', 'no-uuid'],
      ['channel', 'enable', 'fax'],
      ['run', 'nothing'],
      ['cancel', 'no-uuid'],
      ['close', '00000000-0000-4000-8000-000000000001'],
      ['redrive', 'plan'],
      ['redrive', 'plan', '--reason', 'x', '--rate', '0'],
      ['dlq', 'replay', 'here'],
      ['quarantine', 'show', '0'],
      ['pause', '--channel', 'fax', '--reason', 'storm'],
      ['gate', 'close', 'No Name', '--reason', 'storm'],
      ['gate', 'close', 'mail', '--for', 'soon', '--reason', 'storm'],
    ]) {
      const { exitCode, out, err } = await pin(args);
      expect([args, exitCode, out]).toEqual([args, EXIT.usage, '']);
      expect(err).toMatch(/^error: /);
    }
  });

  it('asks for one thing to pause or resume, and why, before it connects to anything', async () => {
    for (const [args, sentence] of [
      [['pause', '--reason', 'storm'], 'say what to pause'],
      [['resume'], 'say what to resume'],
      [['pause', '--tenant', 'a', '--tenant-none', '--reason', 'storm'], 'one thing at a time'],
      [['pause', '--tenant', 'a'], 'say why with --reason'],
      [['gate', 'close', 'mail'], 'say why with --reason'],
      [['gate', 'open', 'mail', '--reason', ' '], '--reason: 1 to'],
    ] as const) {
      const { exitCode, err } = await pin(args);
      expect([args, exitCode]).toEqual([args, EXIT.usage]);
      expect(err).toContain(sentence);
    }
  });

  it('suggests the command that was probably meant', async () => {
    expect((await pin(['topolgy'])).err).toContain('Did you mean topology?');
  });

  it('prints help as data and calls it a success', async () => {
    const { exitCode, out } = await pin(['--help']);
    expect(exitCode).toBe(EXIT.ok);
    for (const name of [
      'demo',
      'run',
      'check',
      'migrate',
      'topics',
      'schemas',
      'send',
      'show',
      'list',
      'cancel',
      'release',
      'close',
      'redrive',
      'lag',
      'channel',
      'pause',
      'resume',
      'gate',
      'dlq',
      'quarantine',
      'audit',
      'topology',
      'config',
      'lab',
      'version',
    ]) {
      expect(out).toMatch(new RegExp(`^  ${name}\\b`, 'm'));
    }
  });

  it('has words for every command and option', async () => {
    const names = ['demo', 'run', 'check', 'show', 'list', 'lag', 'send', 'config', 'topology', 'lab'];
    for (const name of names) expect((await pin([name, '--help'])).out).toMatch(/^Usage: pin /);
  });
});

describe('pin config', () => {
  it('prints the settings in force without secrets', async () => {
    const variables = { PIN_DATABASE_URL: 'postgres://pin:hunter2@db/pin', PIN_LEASE: '50s' };
    const { exitCode, out } = await pin(['config'], { variables });
    expect(exitCode).toBe(EXIT.ok);
    expect(out).toMatch(/^PIN_LEASE +50s +environment$/m);
    expect(out).toContain('postgres://pin:***@db/pin');
    expect(out).not.toContain('hunter2');
  });

  it('prints JSON lines for programs', async () => {
    const { out } = await pin(['config', '--json']);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string });
    expect(lines.map(({ name }) => name)).toContain('PIN_KAFKA_BROKERS');
  });

  it('prints every error and answers 78', async () => {
    const { exitCode, out, err } = await pin(['config'], {
      variables: { PIN_LEASE: 'x', PIN_PARTITIONS: '0' },
    });
    expect([exitCode, out]).toEqual([EXIT.badConfiguration, '']);
    expect(err.trim().split('\n')).toHaveLength(2);
  });
});

describe('pin redrive apply', () => {
  it('refuses what is no plan, or was edited, before it asks any server', async () => {
    for (const plan of ['no json', '{}', '{"kind":"pin-redrive-plan"}']) {
      const { exitCode, out, err } = await pin(['redrive', 'apply', 'plan.json'], {
        files: { 'plan.json': plan },
      });
      expect([exitCode, out]).toEqual([EXIT.refused, '']);
      expect(err).toMatch(/^the plan is refused: it is no/);
    }
    expect(await pin(['redrive', 'apply', 'nowhere.json'])).toMatchObject({ exitCode: EXIT.usage });
  });

  it('does not take a moment for a time', async () => {
    const { exitCode, err } = await pin(['redrive', 'plan', '--reason', 'x', '--since', 'yesterday']);
    expect([exitCode, err]).toEqual([
      EXIT.usage,
      'pin: --since: "yesterday" is no time (ISO 8601) and no duration such as 2h\n',
    ]);
  });
});

describe('pin topology', () => {
  it('prints the graph in three forms without a broker', async () => {
    expect((await pin(['topology'])).out).toContain('pin.notifications.requested.v1');
    expect((await pin(['topology', '--mermaid'])).out).toMatch(/^flowchart LR/);
    const topology = JSON.parse((await pin(['topology', '--json'])).out) as { groupId: string };
    expect(topology.groupId).toBe('pin.notification-processor');
  });

  it('refuses settings that cannot be used with one sentence each and 78', async () => {
    const { exitCode, err } = await pin(['topology'], { variables: { PIN_RETRY_TIERS: '5s,1s' } });
    expect(exitCode).toBe(EXIT.badConfiguration);
    expect(err).toBe(
      'pin: the settings cannot be used: [CONFIG_INVALID]\n  PIN_RETRY_TIERS: "5s,1s" must ascend, each duration once\n',
    );
  });
});

describe('pin schemas check', () => {
  it('finds every released schema compatible, offline', async () => {
    const { exitCode, out } = await pin(['schemas', 'check', '--json']);
    const checks = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { problems: unknown[] });
    expect(checks).toHaveLength(5);
    expect([exitCode, checks.flatMap(({ problems }) => problems)]).toEqual([EXIT.ok, []]);
  });
});

describe('pin send', () => {
  const good = { channel: 'email', recipient: 'a@example.org', body: { text: 'hi' } };

  it('checks flags without sending when asked to', async () => {
    const args = [
      'send',
      '--channel',
      'email',
      '--to',
      'a@example.org',
      '--text',
      'hi',
      '--data',
      'a=1',
      'b=2=3',
      '--dry-run',
    ];
    expect(await pin(args)).toMatchObject({
      exitCode: EXIT.ok,
      out: '',
      err: 'fine: 1; nothing was sent\n',
    });
  });

  it('reads JSON lines from stdin, and a file', async () => {
    const lines = `${JSON.stringify(good)}\n\n${JSON.stringify({ ...good, channel: 'sms' })}\n`;
    const fromStdin = await pin(['send', '--dry-run'], { stdin: lines });
    const fromFile = await pin(['send', '--dry-run', '--file', 'requests.json'], {
      files: { 'requests.json': lines },
    });
    for (const { exitCode, err } of [fromStdin, fromFile]) {
      expect([exitCode, err]).toEqual([EXIT.ok, 'fine: 2; nothing was sent\n']);
    }
  });

  it('sends nothing when one of the requests is wrong, and says which and why', async () => {
    const stdin = [good, { ...good, channel: 'fax' }, { ...good, recipient: '' }, { ...good, typo: 1 }]
      .map((one) => JSON.stringify(one))
      .join('\n');
    const { exitCode, err } = await pin(['send'], { stdin });
    expect(exitCode).toBe(EXIT.usage);
    expect(err).toMatch(
      /^pin: nothing was sent:\n {2}line 2: channel: must be one of .*\n {2}line 3: recipient .*\n {2}line 4: .*typo.*\n$/,
    );
  });

  it('refuses flags and a file together, and a file that is not there', async () => {
    expect(await pin(['send', '--file', 'x', '--to', 'a'])).toMatchObject({ exitCode: EXIT.usage });
    expect(await pin(['send', '--file', 'x'])).toMatchObject({
      exitCode: EXIT.usage,
      err: 'pin: no file x\n',
    });
  });

  it('repeats no recipient and no body of a wrong request', async () => {
    const stdin = JSON.stringify({
      ...good,
      recipient: 'ann@example.org',
      body: { text: 'top secret' },
      notBefore: 'x',
    });
    const { err } = await pin(['send'], { stdin });
    expect(err).toContain('notBefore');
    expect(err).not.toMatch(/ann@|secret/);
  });
});

describe('a server that is away', () => {
  const variables = {
    PIN_DATABASE_URL: 'postgres://pin:hunter2@127.0.0.1:1/pin',
    PIN_REGISTRY_URL: 'http://127.0.0.1:1',
  };

  it('is named in one sentence with exit code 69', async () => {
    const { exitCode, err } = await pin(['list'], { variables });
    expect(exitCode).toBe(EXIT.unavailable);
    expect(err).toMatch(
      /^pin: Postgres does not answer \(PIN_DATABASE_URL\): .*ECONNREFUSED.* \[STATE_UNAVAILABLE\]\n$/,
    );
    expect(err).not.toContain('hunter2');
  });
});

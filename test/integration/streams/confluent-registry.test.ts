import { randomUUID } from 'node:crypto';
import { systemTimers } from '../../../src/runtime/timers.ts';
import { confluentRegistry } from '../../../src/streams/confluent-registry.ts';
import { registryContract } from '../../contract/streams/registry-contract.ts';
import { stackAddresses } from '../../support/stack-servers.ts';

const run = randomUUID().slice(0, 8);

registryContract('a real one over REST', () => ({
  registry: confluentRegistry({ timers: systemTimers, url: stackAddresses().registryUrl }),
  subject: (name) => `test-${run}.${name}`,
}));

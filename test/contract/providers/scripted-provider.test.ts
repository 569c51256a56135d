import type { ScriptStep } from '../../../src/providers/scripted/script.ts';
import { SCRIPTED_FACTS, scriptedProvider } from '../../../src/providers/scripted/scripted-provider.ts';
import { virtualTime } from '../../../src/runtime/virtual-time.ts';
import { type ContractOrder, type OpenWorld, providerContract } from './provider-contract.ts';

const STEPS: Readonly<Record<ContractOrder, ScriptStep>> = {
  accept: { kind: 'accept' },
  'say-busy': { kind: 'transient', providerCode: 'busy' },
  'refuse-recipient': { kind: 'refused', code: 'NTF_PROVIDER_INVALID_RECIPIENT', providerCode: null },
  'limit-everybody': { kind: 'rate-limited', retryAfterMs: 7_000, scope: 'provider', providerCode: null },
  'reject-credentials': { kind: 'misconfigured', providerCode: null },
  'say-something-unmapped': { kind: 'transient', providerCode: 'e1337', isUnclassified: true },
  'deliver-and-lose-the-answer': { kind: 'accept-then-unknown' },
  'say-nothing': { kind: 'wait' },
};

const openWorld: OpenWorld = ({ capability, deadlineMs }) => {
  const time = virtualTime();
  const provider = scriptedProvider({ ...SCRIPTED_FACTS, capability, deadlineMs }, {}, time.timers);
  return Promise.resolve({
    provider,
    order: (...orders) => provider.addSteps(...orders.map((order) => STEPS[order])),
    requests: () => provider.calls.filter((entry) => entry.answer?.kind !== 'not-started').length,
    messages: () => provider.messages.length,
    reached: () => Promise.resolve(),
    advance: time.advance,
    close: () => provider.close(),
  });
};

providerContract('scripted', openWorld);

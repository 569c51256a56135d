import type { VendorAnswer } from '../../../src/lab/vendor-answer.ts';
import { openHttpWorld } from './http-world.ts';
import { type ContractOrder, type OpenWorld, providerContract } from './provider-contract.ts';

const ANSWERS: Readonly<Record<ContractOrder, VendorAnswer>> = {
  accept: { kind: 'accept' },
  'say-busy': { kind: 'error', status: 503, code: 'busy', retriable: true },
  'refuse-recipient': { kind: 'error', status: 422, code: 'invalid_recipient', retriable: false },
  'limit-everybody': {
    kind: 'error',
    status: 429,
    code: 'rate-limited',
    retriable: true,
    retryAfter: '7',
    scope: 'provider',
  },
  'reject-credentials': { kind: 'error', status: 401, code: 'unauthorized', retriable: false },
  'say-something-unmapped': { kind: 'error', status: 400, code: 'e1337' },
  'deliver-and-lose-the-answer': { kind: 'cut', when: 'mid-answer' },
  'say-nothing': { kind: 'hang' },
};

const openWorld: OpenWorld = async ({ capability, deadlineMs }) => {
  const { vendor, provider, time, close } = await openHttpWorld({ capability, provider: { deadlineMs } });
  const orders: ContractOrder[] = [];
  vendor.rule(() => ANSWERS[orders.shift() ?? 'accept']);
  return {
    provider,
    order: (...more) => void orders.push(...more),
    requests: () => vendor.ledger.totals.calls,
    messages: () => vendor.ledger.messages.length,
    reached: (requests) => vendor.waitFor((ledger) => ledger.totals.calls >= requests),
    advance: time.advance,
    close,
  };
};

providerContract('http', openWorld);

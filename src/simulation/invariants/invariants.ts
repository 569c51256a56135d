// All of them, in two groups: those that are watched at every commit and every call, and those that are judged when everything rests.
import type { Stage } from '../stage.ts';
import { attemptInvariants } from './attempts.ts';
import { deathInvariants } from './deaths.ts';
import { messageInvariants } from './messages.ts';
import { orderInvariants } from './orders.ts';
import { outcomeInvariants } from './outcomes.ts';
import { publishingInvariants } from './publishing.ts';
import { pushTokenInvariants } from './push-tokens.ts';
import { requestInvariants } from './requests.ts';
import { rowInvariants } from './rows.ts';
import { webhookInvariants } from './webhooks.ts';

export function watchAlways(stage: Stage): void {
  rowInvariants(stage);
  publishingInvariants(stage);
  attemptInvariants(stage);
  orderInvariants(stage);
  deathInvariants(stage);
}

const AT_REST = [
  messageInvariants,
  outcomeInvariants,
  requestInvariants,
  webhookInvariants,
  pushTokenInvariants,
];

export function judgeAtRest(stage: Stage): void {
  for (const group of AT_REST)
    for (const [name, judge] of Object.entries(group)) {
      const detail = judge(stage);
      if (detail !== null) stage.world.violate(name, detail);
    }
}

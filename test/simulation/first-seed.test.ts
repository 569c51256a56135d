import { test } from 'vitest';
import { expectNothingBreaks, SCHEDULES_LIMIT_MS } from './schedules.ts';

test(
  'no schedule from seed 1 on breaks an invariant, and every fault is reached',
  () => expectNothingBreaks(1),
  SCHEDULES_LIMIT_MS,
);

import { test } from 'vitest';
import { expectNothingBreaks, SCHEDULES_LIMIT_MS } from './schedules.ts';

test(
  'no schedule from seed 5000000 on breaks an invariant, and every fault is reached',
  () => expectNothingBreaks(5000000),
  SCHEDULES_LIMIT_MS,
);

// Bugs that are put into a copy of the source on purpose, one at a time, to see that the simulator catches each. A bug is a name and edits:
// file below src, text that stands there exactly once, and what takes its place. All of them pass the type checker.
import { DEATH_BUGS } from './death-bugs.mjs';
import { ORDER_BUGS } from './order-bugs.mjs';
import { REPORT_BUGS } from './report-bugs.mjs';
import { RULE_BUGS } from './rule-bugs.mjs';
import { STATE_BUGS } from './state-bugs.mjs';
import { TOPOLOGY_BUGS } from './topology-bugs.mjs';

export const SEEDED_BUGS = [
  ...RULE_BUGS,
  ...ORDER_BUGS,
  ...REPORT_BUGS,
  ...TOPOLOGY_BUGS,
  ...DEATH_BUGS,
  ...STATE_BUGS,
];

// A second reporter beside vitest's own: writes what ran to the file named by TEST_TALLY_FILE, so that the set-up can
// close with the line that CI reads and can tell a suite that was skipped from one that passed.
import { writeFileSync } from 'node:fs';

export default class {
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state) => tests.filter((test) => test.result().state === state);
    const broken = modules.filter((module) => module.errors().length > 0);
    const tally = {
      passed: inState('passed').length,
      failed: inState('failed').length + broken.length + unhandledErrors.length,
      // A test that never came to run is "pending": as good as skipped.
      skipped: [...inState('skipped'), ...inState('pending')].map(
        (test) => `${test.module.relativeModuleId}: ${test.fullName}`,
      ),
    };
    if (process.env.TEST_TALLY_FILE) writeFileSync(process.env.TEST_TALLY_FILE, JSON.stringify(tally));
  }
}

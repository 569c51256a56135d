import { defineConfig } from 'vitest/config';

// What `npm run mutation` runs for each mutant: the tests of the rules alone, which need nothing but Node. The properties are tried with
// fewer examples, and always with the same ones: a mutant must not be killed by luck.
export default defineConfig({
  test: {
    include: ['test/{unit,property}/domain/**/*.test.ts'],
    setupFiles: ['test/support/same-examples.ts'],
    env: { PROPERTY_RUNS_SHARE: '0.05' },
    testTimeout: 30_000,
  },
});

// For mutation testing: each property meets the same examples in every run.
import { configureGlobal } from 'fast-check';

configureGlobal({ seed: 20_261_130 });

import { silentLogger } from '../../../src/runtime/logger.ts';
import { localFeed } from '../../../src/state/notification-feed.ts';
import { feedContract } from './feed-contract.ts';

feedContract('the feed of one process', {
  open: () => Promise.resolve(localFeed({ logger: silentLogger })),
  settled: () => Promise.resolve(),
});

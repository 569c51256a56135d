import { memoryRegistry } from '../../../src/streams/memory-registry.ts';
import { registryContract } from './registry-contract.ts';

registryContract('in memory', () => ({ registry: memoryRegistry(), subject: (name) => name }));

import { afterAll, beforeAll } from 'vitest';
import { storeContract } from '../../contract/state/store-contract.ts';
import { migratedDatabase, type TestDatabase } from '../../support/database.ts';
import { stackAddresses } from '../../support/stack-servers.ts';
import { realStoreUnderTest } from './real-store.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await migratedDatabase(stackAddresses().databaseUrl);
});
afterAll(() => database.drop());

storeContract('the store on Postgres', () => realStoreUnderTest(database));

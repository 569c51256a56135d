// Asks for a notification inside the service's own transaction: both happen, or neither.
import { requestNotification } from '@pin-notifications/producer/outbox';
import pg from 'pg';

const client = new pg.Client({ connectionString: process.env.DATABASE_URL });
await client.connect();

async function placeOrder(order: string, isPaid: boolean): Promise<string> {
  await client.query('begin');
  try {
    await client.query('insert into orders (id) values ($1)', [order]);
    const { notificationId } = await requestNotification(client, {
      channel: 'email',
      to: 'ada@example.com',
      template: { key: 'order-placed', locale: 'en' },
      data: { order },
      aggregateType: 'order',
      aggregateId: order,
    });
    if (!isPaid) throw new RangeError('the card was declined');
    await client.query('commit');
    return notificationId;
  } catch (error) {
    await client.query('rollback');
    throw error;
  }
}

console.log(await placeOrder('4711', true));
await placeOrder('4712', false).catch(() => console.log('4712: nothing was asked for'));
await client.end();

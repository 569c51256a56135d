/** Brokers of the servers that the project `real` sets up. */
export function realBrokers(): string[] {
  const { PIN_KAFKA_BROKERS: brokers } = process.env;
  if (brokers === undefined || brokers === '')
    throw new Error(
      'PIN_KAFKA_BROKERS is not set: run this suite through the project `real`, which starts the servers',
    );
  return brokers.split(',');
}

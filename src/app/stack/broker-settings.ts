// The settings of the one-node broker: small internal topics, so that it starts in seconds.

/** For a run, and once to format the data folder, when ports do not matter yet. */
export function brokerSettings(at: { broker: number; controller: number; dataFolder: string }): string {
  return `${[
    'process.roles=broker,controller',
    'node.id=1',
    `controller.quorum.voters=1@127.0.0.1:${at.controller}`,
    `listeners=PLAINTEXT://127.0.0.1:${at.broker},CONTROLLER://127.0.0.1:${at.controller}`,
    `advertised.listeners=PLAINTEXT://127.0.0.1:${at.broker}`,
    'controller.listener.names=CONTROLLER',
    'inter.broker.listener.name=PLAINTEXT',
    'listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
    `log.dirs=${at.dataFolder}`,
    'offsets.topic.replication.factor=1',
    'offsets.topic.num.partitions=4',
    'transaction.state.log.replication.factor=1',
    'transaction.state.log.min.isr=1',
    'transaction.state.log.num.partitions=4',
    'share.coordinator.state.topic.replication.factor=1',
    'group.initial.rebalance.delay.ms=0',
    'auto.create.topics.enable=false',
  ].join('\n')}\n`;
}

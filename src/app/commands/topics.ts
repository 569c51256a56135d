// `pin topics plan|apply|tail`: the topics as they should be, and what is in them.
import type { Command } from 'commander';
import { applyTopicsPlan, type TopicStep, topicsPlan } from '../../ops/topics-plan.ts';
import { topicSpecs } from '../../streams/topics.ts';
import { type Cli, unlessInterrupted, withOpen } from '../cli.ts';
import { confirmed } from '../confirm.ts';
import { commandLogger, logOfConfig, topicsOfConfig } from '../connections.ts';
import type { Environment } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { loadConfig } from '../load-config.ts';
import { printJson, printTable, say } from '../output.ts';
import { addTailCommand } from './topics-tail.ts';

interface Options {
  readonly json?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

export function addTopicsCommand(program: Command, cli: Cli): void {
  const topics = program.command('topics').description('The topics: plan, make and read them.');
  topics
    .command('plan')
    .description('Print what apply would do. Exit code 1 when there is something to do.')
    .option('--json', 'as JSON lines')
    .action(cli.action((options: Options) => plan(cli.environment, options)));
  topics
    .command('apply')
    .description(
      'Create missing topics and correct settings; never deletes, never changes a partition count.',
    )
    .option('--yes', 'change existing topics without asking')
    .option('--dry-run', 'only print the plan')
    .option('--json', 'as JSON lines')
    .action(cli.action((options: Options) => apply(cli.environment, options)));
  addTailCommand(topics, cli);
}

async function plan(environment: Environment, options: Options): Promise<ExitCode> {
  return withPlan(environment, (steps) => {
    printSteps(environment, steps, options);
    if (steps.some((step) => step.kind === 'refuse')) return Promise.resolve(EXIT.refused);
    return Promise.resolve(steps.every((step) => step.kind === 'ok') ? EXIT.ok : EXIT.failure);
  });
}

async function apply(environment: Environment, options: Options): Promise<ExitCode> {
  return withPlan(environment, async (steps, admin) => {
    printSteps(environment, steps, options);
    const refused = steps.some((step) => step.kind === 'refuse');
    if (options.dryRun === true) return refused ? EXIT.refused : EXIT.ok;
    const changes = steps.filter((step) => step.kind === 'alter').length;
    const mayChange =
      changes === 0 || (await confirmed(environment, `Change ${changes} topics?`, options.yes === true));
    if (!mayChange) return EXIT.refused;
    await applyTopicsPlan(admin, steps);
    const created = steps.filter((step) => step.kind === 'create').length;
    say(environment, `${created} created, ${changes} changed`);
    if (!refused) return EXIT.ok;
    return created + changes > 0 ? EXIT.partlyDone : EXIT.refused;
  });
}

type Admin = Parameters<typeof applyTopicsPlan>[0];

async function withPlan(
  environment: Environment,
  use: (steps: readonly TopicStep[], admin: Admin) => Promise<ExitCode>,
): Promise<ExitCode> {
  const config = loadConfig(environment);
  const log = logOfConfig(environment, config, commandLogger(environment, config));
  const wanted = topicSpecs(topicsOfConfig(config), config.topics);
  const work = withOpen(log.admin(), async (admin) => use(await topicsPlan(admin, wanted), admin));
  return unlessInterrupted(environment, work);
}

function printSteps(environment: Environment, steps: readonly TopicStep[], options: Options): void {
  if (options.json === true) for (const step of steps) printJson(environment, step);
  else printTable(environment, ['topic', 'step', 'what'], steps.map(rowOf));
}

function rowOf(step: TopicStep): readonly string[] {
  switch (step.kind) {
    case 'create':
      return [
        step.spec.topic,
        'create',
        `partitions ${step.spec.partitions}, replication ${step.spec.replicationFactor}`,
      ];
    case 'alter':
      return [step.topic, 'alter', step.changes.join(', ')];
    case 'ok':
      return [step.topic, 'ok', ''];
    case 'refuse':
      return [step.topic, 'refused', step.sentence];
  }
}

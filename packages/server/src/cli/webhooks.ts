/** `docyard webhooks`: webhooks, directly in the database. The running service sends the messages. */
import {
  CreateWebhook,
  webhookEvents,
  type Webhook,
  type WebhookDelivery,
  type WebhookEvent,
} from '@docyard/api';
import { Option, type Command } from 'commander';
import {
  addLocalOptions,
  check,
  chooseOrganization,
  everyRow,
  operatorOf,
  withData,
  type LocalOptions,
} from './local.ts';
import { print } from './print.ts';
import { addSecretOption, requireSecretOutput, showSecret, type SecretOptions } from './secret-output.ts';

const examples = `
Examples:
  docyard webhooks create --url https://ci.example.com/docyard
  docyard webhooks test wh_7b0f31c2d94e8a56
`;

export function describeWebhooks(command: Command): void {
  command
    .description('List, create, delete and test webhooks; show their deliveries.')
    .addHelpText('after', examples);
  const onWebhook = (name: string, description: string) =>
    addLocalOptions(command.command(name).description(description)).argument(
      '<id>',
      'id of the webhook, such as wh_…',
    );

  addLocalOptions(command.command('list').description('List webhooks, newest first.')).action(list);

  addSecretOption(
    addLocalOptions(
      command.command('create').description('Create a webhook. Its secret is shown only once.'),
    ),
    'secret',
  )
    .requiredOption('--url <address>', 'URL that receives the events')
    .addOption(
      new Option('--event <name...>', 'events to send (default: all)').choices(Object.keys(webhookEvents)),
    )
    .option('--description <text>', 'purpose of the webhook')
    .action(create);

  onWebhook('delete', 'Delete a webhook and its log.').action(deleteOne);
  onWebhook('deliveries', 'List deliveries of the last 30 days, newest first.').action(deliveries);
  onWebhook('redeliver', 'Send a delivery again.')
    .argument('<delivery>', 'id of the delivery, such as whd_…')
    .action(redeliverOne);
  onWebhook('send-now', 'Send a pending delivery now.')
    .argument('<delivery>', 'id of the delivery, such as whd_…')
    .action(sendOneNow);
  onWebhook('test', 'Send a test event.').action(test);
}

async function list(options: LocalOptions): Promise<void> {
  await withData(options, async (context) => {
    const { listWebhooks } = await import('../webhooks/webhooks.ts');
    const { id: organizationId } = await chooseOrganization(context, options.org);
    const found = await everyRow((cursor) => listWebhooks(context, { organizationId, limit: 100, cursor }));
    print(options, found, found.map(webhookLine));
  });
}

async function create(
  options: LocalOptions & SecretOptions & { url: string; event?: WebhookEvent[]; description?: string },
): Promise<void> {
  const wanted = check(CreateWebhook, {
    url: options.url,
    ...(options.event === undefined ? {} : { events: options.event }),
    ...(options.description === undefined ? {} : { description: options.description }),
  });
  requireSecretOutput(options, 'secret of the webhook');
  await withData(options, async (context) => {
    const { createWebhook } = await import('../webhooks/webhooks.ts');
    const actor = operatorOf(await chooseOrganization(context, options.org));
    const created = await createWebhook(context, { ...wanted, actor });
    await showSecret(options, { created, field: 'secret', title: `The secret of ${created.id}` });
  });
}

async function deleteOne(webhookId: string, options: LocalOptions): Promise<void> {
  await withData(options, async (context) => {
    const { deleteWebhook } = await import('../webhooks/webhooks.ts');
    const actor = operatorOf(await chooseOrganization(context, options.org));
    await deleteWebhook(context, { webhookId, actor });
    if (!options.json) process.stdout.write(`${webhookId} is deleted.\n`);
  });
}

async function deliveries(webhookId: string, options: LocalOptions): Promise<void> {
  await withData(options, async (context) => {
    const { listDeliveries } = await import('../webhooks/deliveries.ts');
    const { id: organizationId } = await chooseOrganization(context, options.org);
    const found = await everyRow((cursor) =>
      listDeliveries(context, { webhookId, organizationId, limit: 100, cursor }),
    );
    print(options, found, found.map(deliveryLine));
  });
}

async function redeliverOne(webhookId: string, deliveryId: string, options: LocalOptions): Promise<void> {
  await withData(options, async (context) => {
    const { redeliver } = await import('../webhooks/deliveries.ts');
    const actor = operatorOf(await chooseOrganization(context, options.org));
    const delivery = await redeliver(context, { webhookId, deliveryId, actor });
    print(options, delivery, [deliveryLine(delivery)]);
  });
}

async function sendOneNow(webhookId: string, deliveryId: string, options: LocalOptions): Promise<void> {
  await withData(options, async (context) => {
    const { sendNow } = await import('../webhooks/deliveries.ts');
    const actor = operatorOf(await chooseOrganization(context, options.org));
    const delivery = await sendNow(context, { webhookId, deliveryId, actor });
    print(options, delivery, [deliveryLine(delivery)]);
  });
}

async function test(webhookId: string, options: LocalOptions): Promise<void> {
  await withData(options, async (context) => {
    const { sendTest } = await import('../webhooks/deliveries.ts');
    const actor = operatorOf(await chooseOrganization(context, options.org));
    const delivery = await sendTest(context, { webhookId, actor });
    print(options, delivery, [deliveryLine(delivery)]);
  });
}

function webhookLine(webhook: Webhook): Record<string, string> {
  const all = webhook.events.length === Object.keys(webhookEvents).length;
  return {
    id: webhook.id,
    url: webhook.url,
    events: all ? 'all' : webhook.events.join(' '),
    state: webhook.enabled
      ? webhook.failingSince === null
        ? 'on'
        : `failing since ${minuteOf(webhook.failingSince)}`
      : `off${webhook.disabledReason === null ? '' : ` (${webhook.disabledReason})`}`,
  };
}

function deliveryLine(delivery: WebhookDelivery): Record<string, string> {
  const last = delivery.attempts.at(-1);
  return {
    id: delivery.id,
    event: delivery.type,
    job: delivery.jobId ?? '',
    created: minuteOf(delivery.createdAt),
    state: delivery.status,
    attempts: String(delivery.attempts.length),
    'last answer': last === undefined ? '' : (last.error ?? String(last.status)),
  };
}

function minuteOf(timestamp: string): string {
  return timestamp.slice(0, 16).replace('T', ' ');
}

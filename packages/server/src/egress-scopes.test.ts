/** Checks each outbound connection of the service against each scope of EGRESS_ALLOW. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelEgress } from './agent/settings.ts';
import { createForwarder } from './agent/model/gateway.ts';
import { egressPurposes } from './egress/rules.ts';
import { fetchWithin } from './exports/fetches.ts';
import { composeForTest, temporaryFolder, type TestContext } from '../test/support/test-context.ts';
import { sendMessage } from './webhooks/send.ts';

let host: string;
let requests = 0;
const server = createServer((_, response) => {
  requests += 1;
  response.writeHead(404).end();
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const tenant = { organizationId: 'org_1', projectId: 'pr_1' };
const signal = AbortSignal.timeout(60_000);

const connections = {
  source: (context: TestContext) => {
    const request = { repository: `http://${host}/docs.git`, ref: null, directory: null, commit: null };
    return context.sources.fetch({ ...request, allowLocal: false, tenant }, temporaryFolder(), signal);
  },
  forge: (context: TestContext) => {
    const settings = { kind: 'gitea' as const, repository: `http://${host}/a/b.git`, apiBase: null };
    return context.forges.open({ ...settings, credential: null, tenant }).prState(1, signal);
  },
  model: (context: TestContext) => {
    const settings = { provider: 'openai' as const, url: `http://${host}/v1`, name: 'm', key: null };
    const egress = modelEgress(context, settings, tenant);
    return createForwarder(settings, { egress })({ path: 'chat/completions', body: '{}' }, signal);
  },
  webhook: (context: TestContext) => {
    const message = { id: 'whd_1', url: `http://${host}/`, body: '{}', secretOwner: 'org_1' };
    return sendMessage(context, { ...message, organizationId: tenant.organizationId }, signal);
  },
  spec: (context: TestContext) =>
    fetchWithin(context.config.egress, tenant)(`http://${host}/a.json`, signal, 'description'),
  picture: (context: TestContext) =>
    fetchWithin(context.config.egress, tenant)(`http://${host}/a.png`, signal, 'picture'),
  font: (context: TestContext) =>
    fetchWithin(context.config.egress, tenant)(`http://${host}/a.woff2`, signal, 'font'),
};
type Connection = keyof typeof connections;

async function isReached(context: TestContext, name: Connection): Promise<boolean> {
  const before = requests;
  await Promise.resolve(connections[name](context)).catch(() => undefined);
  return requests > before;
}

async function reachedWith(environment: Record<string, string>): Promise<Connection[]> {
  const context = await composeForTest(environment);
  const reached: Connection[] = [];
  for (const name of Object.keys(connections) as Connection[])
    if (await isReached(context, name)) reached.push(name);
  return reached;
}

describe('a private host', () => {
  test.each([...egressPurposes])(
    'that is listed for %s is contacted for no other purpose',
    async (purpose) => {
      expect(await reachedWith({ EGRESS_ALLOW: `${purpose}:${host}` })).toEqual(
        purpose === 'oidc' ? [] : [purpose],
      );
    },
  );

  test('that is listed for another organization is not contacted', async () => {
    const entry = `source+forge+model+webhook+spec+picture+font:${host}`;
    expect(await reachedWith({ EGRESS_ALLOW: `${entry}@org_2` })).toEqual([]);
    expect(await reachedWith({ EGRESS_ALLOW: `${entry}@org_1` })).toEqual(Object.keys(connections));
  });

  test('that MODEL_URL names is contacted for the default model only', async () => {
    const environment = { MODEL_URL: `http://${host}/v1`, MODEL_NAME: 'm' };
    expect(await reachedWith(environment)).toEqual([]);
    const context = await composeForTest(environment);
    const { model } = context.config;
    if (model === null) throw new Error('MODEL_URL was not read.');
    const before = requests;
    const forward = createForwarder(model, { egress: modelEgress(context, model, tenant) });
    await forward({ path: 'chat/completions', body: '{}' }, signal).catch(() => undefined);
    expect(requests).toBeGreaterThan(before);
  });

  test('that is listed without a purpose is contacted for every purpose', async () => {
    expect(await reachedWith({ EGRESS_ALLOW: host })).toEqual(Object.keys(connections));
  });
});

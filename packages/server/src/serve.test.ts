/** The service in one process: start, shutdown, and conflicts over a folder or a port. */
import { describe, expect, test } from 'vitest';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { parseEgressRules } from './egress/rules.ts';
import { readConfig } from './config.ts';
import { setUpFirstRun } from './first-run.ts';
import { startService } from './serve.ts';
import {
  cleanUp,
  createExport,
  createTenant,
  createTestProject,
  composeForTest,
  temporaryFolder,
  until,
} from '../test/support/test-context.ts';

const settingsFor = (dataDir: string, port = '0') =>
  readConfig({ DATA_DIR: dataDir, PORT: port, LOG_LEVEL: 'silent' });

test('a service is ready after its start and releases the folder when it stops', async () => {
  const config = settingsFor(temporaryFolder('data'));
  for (let start = 1; start <= 2; start += 1) {
    const service = await startService(config, async (context) => {
      await setUpFirstRun(context, { sample: false, adminKeyFile: undefined });
    });
    const answer = await fetch(`http://127.0.0.1:${service.port}/readyz`);
    expect(await answer.json()).toMatchObject({ status: 'ready' });
    await service.stop();
    await expect(fetch(`http://127.0.0.1:${service.port}/readyz`)).rejects.toThrow();
  }
});

test('a request is refused with 503 starting until the service is ready', async () => {
  const config = settingsFor(temporaryFolder('data'));
  let early: Response | undefined;
  const service = await startService(config, async (_context, { port }) => {
    early = await fetch(`http://127.0.0.1:${port}/v1/me`);
  });
  expect(early?.status).toBe(503);
  expect(early?.headers.get('retry-after')).toBe('5');
  expect(await early?.json()).toMatchObject({ code: 'starting' });
  expect((await fetch(`http://127.0.0.1:${service.port}/v1/me`)).status).toBe(401);
  await service.stop();
});

test('a second service on the same folder is refused while the first continues', async () => {
  const config = settingsFor(temporaryFolder('data'));
  const service = await startService(config);
  await expect(startService(config)).rejects.toMatchObject({ name: 'DataFolderError' });
  expect((await fetch(`http://127.0.0.1:${service.port}/healthz`)).status).toBe(200);
  await service.stop();
});

test('a stop returns a running job to the queue, and the next start resumes it', async () => {
  // A git server that never answers keeps the job running.
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  cleanUp(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const context = await composeForTest();
  const tenant = await createTenant(context);
  const repository = `http://127.0.0.1:${port}/docs.git`;
  const { id } = await createExport(
    context,
    tenant,
    await createTestProject(context, tenant, { repository }),
  );
  const read = () =>
    context.database
      .selectFrom('jobs')
      .select(['status', 'attempt'])
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
  const config = {
    ...settingsFor(context.config.dataDir),
    egress: { rules: parseEgressRules('source:127.0.0.1'), offline: false },
  };
  for (let attempt = 1; attempt <= 2; attempt += 1) {
    const service = await startService(config);
    await until(async () => (await read()).status === 'running');
    expect(await read()).toEqual({ status: 'running', attempt });
    await service.stop();
    expect(await read()).toEqual({ status: 'queued', attempt });
  }
});

test('requests that never reach the application are counted too', async () => {
  const service = await startService(settingsFor(temporaryFolder('serve')));
  const socket = connect(service.port, '127.0.0.1').end('this is no request\r\n\r\n');
  expect(await text(socket)).toContain('"code":"invalid_request"');
  const { text: numbers } = await service.context.measures.read({});
  expect(numbers).toContain('docyard_http_problems_total{code="invalid_request"} 1');
  await service.stop();
});

describe('a port that is in use', () => {
  test('is an error that leaves queued jobs unchanged and releases the folder', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    cleanUp(() => void other.close());
    const context = await composeForTest();
    const tenant = await createTenant(context);
    const project = await createTestProject(context, tenant, { repository: '/no/such/folder' });
    await createExport(context, tenant, project);
    const { dataDir } = context.config;
    const { port } = other.address() as AddressInfo;
    await expect(startService(settingsFor(dataDir, String(port)))).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    const jobs = await context.database.selectFrom('jobs').select(['status', 'attempt']).execute();
    expect(jobs).toMatchObject([{ status: 'queued' }]);
    const service = await startService(settingsFor(dataDir));
    await service.stop();
  });
});

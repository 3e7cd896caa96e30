/** `docyard events github-app` with a real service and a fake GitHub that a test confirms instead of a user. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import * as stage from './contract/harness.ts';
import { startFakeGithubApp } from './fakes/github-app/github-app.ts';
import { program, startService } from './service.ts';

const timeout = 60_000;

test('docyard events github-app stores the App that is confirmed in the browser', { timeout }, async () => {
  const github = await startFakeGithubApp();
  onTestFinished(() => github.close());
  const environment = { EGRESS_ALLOW: `source+forge:${github.host}` };
  const service = await startService({ environment, sample: false });
  onTestFinished(async () => void (await service.stop()));
  const { id: projectId } = await stage.addProject(service, github.repository);

  const command = ['events', 'github-app', '--project', projectId, '--name', 'Harbour docs', '--json'];
  const child = spawn(process.execPath, [program, ...command, '--server', service.origin], {
    env: { ...process.env, DOCYARD_API_KEY: service.key, CI: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill());
  let output = '';
  let messages = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (messages += text));
  const ended = once(child, 'close');
  await expect.poll(() => /^ {2}http\S+$/m.exec(messages)?.[0], { timeout }).toBeDefined();
  const page = /^ {2}(http\S+)$/m.exec(messages)?.[1] ?? '';
  const returned = await github.confirm(page);

  const forged = new URL(returned);
  forged.searchParams.set('state', 'x'.repeat(43));
  expect((await fetch(forged)).status).toBe(404);

  const answer = await fetch(returned);
  expect([answer.status, await answer.text()]).toEqual([
    200,
    'The GitHub App is created. Continue in the terminal.\n',
  ]);
  expect(await ended).toEqual([0, null]);
  expect(JSON.parse(output)).toMatchObject({ appId: github.appId, name: 'Harbour docs' });
  for (const secret of [github.webhookSecret, 'PRIVATE KEY']) expect(output + messages).not.toContain(secret);
  const { app } = await service.client.call('readGithubApp', { params: { projectId } });
  expect(app?.installUrl).toBe(`${github.origin}/github-apps/docyard-harbour/installations/new`);
});

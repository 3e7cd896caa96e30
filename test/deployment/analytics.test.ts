/** Analytics of the real `docyard site`, read with its command. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-resources.ts';
import { bundle, docyard, startSite, siteOf, type Site } from './site.ts';

const browser = { 'user-agent': 'Mozilla/5.0 Firefox/140.0', accept: 'text/html' };

async function start(environment: Record<string, string>): Promise<Site> {
  const folder = temporaryFolder('bundles');
  writeFileSync(join(folder, 'first.tar.gz'), await bundle(siteOf('first')));
  const site = await startSite({ staticExport: { bundleUrl: folder }, environment });
  while ((await site.readiness()).release === null) await pause(50);
  return site;
}

test('the command shows and exports what a stopped site has counted', async () => {
  const site = await start({ ANALYTICS_ENABLED: 'on' });
  await fetch(`${site.origin}/guides/page-1`, { headers: browser });
  await fetch(`${site.origin}/guides/page-1`, { headers: { 'user-agent': 'GPTBot' } });
  await fetch(`${site.origin}/gone`, { headers: browser });
  const feedback = await fetch(`${site.origin}/_docyard/feedback`, {
    method: 'POST',
    headers: { ...browser, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'a'.repeat(16), path: '/guides/page-1', helpful: false, comment: 'Unclear.' }),
  });
  expect(feedback.status).toBe(204);
  await site.stop();

  const shown = docyard(['site', 'analytics', '--data', site.dataDir]);
  expect(shown.stdout).toContain('Page views  1 by humans, 1 by agents\n');
  expect(shown.stdout).toMatch(/\/guides\/page-1 +1 +1\n/);
  expect(shown.stdout).toContain('Unclear.');
  const csv = docyard(['site', 'analytics', '--data', site.dataDir, '--csv']).stdout.split('\r\n');
  expect(csv[0]).toBe('day,metric,name,reader,count,comment');
  expect(csv.slice(1).map((line) => line.slice('2026-07-01,'.length))).toEqual([
    'missing,/gone,human,1',
    'views,/guides/page-1,agent,1',
    'views,/guides/page-1,human,1',
    'not_helpful,/guides/page-1,human,1,Unclear.',
    '',
  ]);
  const json: unknown = JSON.parse(docyard(['site', 'analytics', '--data', site.dataDir, '--json']).stdout);
  expect(json).toMatchObject({ counts: [{ name: '/gone' }, {}, {}], feedback: [{ comment: 'Unclear.' }] });
});

test('a site without the setting has no endpoints and no file', async () => {
  const site = await start({});
  expect((await fetch(`${site.origin}/_docyard/feedback`)).status).toBe(404);
  const vote = await fetch(`${site.origin}/_docyard/feedback`, { method: 'POST', body: '{}' });
  expect(vote.status).toBe(405);
  await site.stop();
  const run = docyard(['site', 'analytics', '--data', site.dataDir]);
  expect([run.status, run.stderr]).toEqual([4, expect.stringContaining('Set analytics.enabled to on')]);
  expect(docyard(['site', 'analytics', '--days', 'x']).status).toBe(2);
});

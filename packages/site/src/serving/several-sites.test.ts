/** Several sites behind one port. */
import { beforeAll, describe, expect, test } from 'vitest';
import { cleanUp } from '../../../../test/cleanups.ts';
import { makeSite, statusOf, type Answer } from '../../test/support/served-releases.ts';
import { startServers } from '../../test/support/several-sites.ts';
import type { HostedSite } from './hosted-site.ts';
import { SiteRoutes } from './site-routes.ts';

const pageOf = (text: string) => ({
  'index.html': text,
  'guide.html': `${text} guide`,
  '404.html': `${text} 404`,
});

let get: (host: string, target: string) => Promise<Answer>;
let hosted: Record<string, HostedSite>;

beforeAll(async () => {
  const running = await startServers(
    [
      { name: 'docs', hosts: ['docs.example.com', 'www.example.com'] },
      { name: 'api', hosts: ['example.com'], basePath: '/api' },
      { name: 'api-old', hosts: ['example.com'], basePath: '/api/old' },
      { name: 'empty', hosts: ['empty.example.com'] },
    ],
    { statusPort: 0 },
  );
  ({ get, hosted } = running);
  for (const name of ['docs', 'api', 'api-old']) hosted[name]?.activate(await makeSite(pageOf(name)));
  cleanUp(() => running.server.close(0));
});

describe('the site of a request', () => {
  test.each([
    ['docs.example.com', '/', 'docs'],
    ['WWW.Example.com:4480', '/guide', 'docs guide'],
    ['docs.example.com.', '/', 'docs'],
    ['example.com', '/api/', 'api'],
    ['example.com', '/%61pi/guide', 'api guide'],
    ['example.com', '/api/old/guide', 'api-old guide'],
    ['example.com', '/api/older', 'api 404'],
    ['other.example.com', 'http://docs.example.com/guide', 'docs guide'],
    ['docs.example.com', 'http://example.com/api/', 'api'],
  ])('%s%s is %s', async (host, target, text) => {
    expect((await get(host, target)).text).toBe(text);
  });

  test.each([
    ['other.example.com', '/'],
    ['docs.example.com.evil.example', '/'],
    ['', '/'],
    ['example.com', '/other'],
    ['example.com', '/apis'],
  ])('"%s" with %s belongs to no site', async (host, target) => {
    const { status, text, headers } = await get(host, target);
    expect({ status, text }).toEqual({ status: 404, text: 'No site is configured for this address.\n' });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  });

  test('a site without a release does not affect the others', async () => {
    expect((await get('empty.example.com', '/')).status).toBe(503);
    expect((await get('docs.example.com', '/')).status).toBe(200);
  });
});

test('requests for unknown hosts go to the default site, and after it to a site without a host', async () => {
  const site = (name: string, hosts: string[]) => ({ name, hosts }) as unknown as HostedSite;
  const [docs, rest] = [site('docs', ['docs.example.com']), site('rest', [])];
  const of = (routes: SiteRoutes, host: string) => routes.find({ headers: { host }, url: '/' })?.name;
  expect(of(new SiteRoutes([docs], 'docs'), 'unknown.example.com')).toBe('docs');
  expect(of(new SiteRoutes([docs, rest]), 'unknown.example.com')).toBe('rest');
  expect(of(new SiteRoutes([docs, rest]), 'docs.example.com')).toBe('docs');
});

describe('the status of several sites', () => {
  const release = {
    id: 'r1',
    version: '2',
    commit: null,
    committedAt: null,
    pages: 7,
    signedBy: null,
    installedAt: '2026-11-10T00:00:00.000Z',
  };
  const start = async (statuses: Record<string, ReturnType<typeof statusOf>>) => {
    const sites = Object.entries(statuses).map(([name, status]) => ({
      name,
      hosts: [name],
      status: () => status,
    }));
    const running = await startServers(sites);
    cleanUp(() => running.server.close(0));
    const ask = async (path: string) => {
      const { status, text } = await running.get('a', path);
      return { status, body: JSON.parse(text) as Record<string, unknown> };
    };
    return { ...running, ask };
  };

  test('a site that cannot be served leaves the process ready, and has its own status', async () => {
    const { ask, get: read } = await start({
      a: statusOf({ release }),
      b: statusOf({ notReadyBecause: 'The key file is missing.' }),
    });
    const all = await ask('/readyz');
    expect(all.status).toBe(200);
    expect(all.body).toMatchObject({
      status: 'ready',
      sites: { a: { status: 'ready' }, b: { status: 'not ready', reason: 'The key file is missing.' } },
    });
    expect((await ask('/readyz/a')).status).toBe(200);
    expect(await ask('/readyz/b')).toMatchObject({ status: 503, body: { status: 'not ready' } });
    expect((await read('a', '/readyz/c')).status).toBe(404);
  });

  test('the process is not ready while a site fetches its first bundle', async () => {
    const { ask } = await start({ a: statusOf({ release }), b: statusOf({ isStarting: true }) });
    expect(await ask('/readyz')).toMatchObject({ status: 503, body: { reason: 'starting: b' } });
  });

  test('the process is not ready when no site is served', async () => {
    const { ask } = await start({ a: statusOf(), b: statusOf() });
    expect(await ask('/readyz')).toMatchObject({ status: 503, body: { reason: 'no site is served' } });
  });

  test('metrics name the site', async () => {
    const { get: read } = await start({
      a: statusOf({ release, refreshes: { installed: 2 } }),
      b: statusOf({ refusals: { wrong_version: 1 } }),
    });
    await read('b', '/');
    await read('unknown', '/');
    const lines = (await read('a', '/metrics')).text.split('\n');
    for (const line of [
      'docyard_site_ready{site="a"} 1',
      'docyard_site_ready{site="b"} 0',
      'docyard_site_release_pages{site="a"} 7',
      'docyard_site_requests_total{site="b",status="503"} 1',
      'docyard_site_requests_total{site="",status="404"} 1',
      'docyard_site_refreshes_total{site="a",outcome="installed"} 2',
      'docyard_site_bundles_refused_total{site="b",reason="wrong_version"} 1',
    ])
      expect(lines).toContain(line);
    expect(lines.filter((line) => line.startsWith('# TYPE docyard_site_ready '))).toHaveLength(1);
  });
});

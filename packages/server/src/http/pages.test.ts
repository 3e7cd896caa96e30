/** The start page, the manual and the OpenAPI document as a browser gets them. */
import { beforeAll, describe, expect, test } from 'vitest';
import { buildOpenApi } from '@docyard/api';
import { composeForTest, serveForTest, type TestService } from '../../test/support/test-context.ts';

let service: TestService;
let html: string;

beforeAll(async () => {
  service = await serveForTest(await composeForTest());
  html = await (await service.request('/')).text();
});

describe('the start page', () => {
  test('the start page has a policy that allows no script and no other host', async () => {
    const answer = await service.request('/');
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain('unsafe');
    expect(policy).not.toContain('script-src');
  });

  test('the start page has no script, no inline style, no event handler and no external link', () => {
    expect(html).not.toMatch(/<script|<style|\sstyle=|\son[a-z]+=/i);
    expect(html).not.toMatch(/(src|href)="https?:/i);
  });

  test('the start page shows the first steps for the requested host and no key', () => {
    expect(html).toContain(`${service.origin}/v1/static-export/jobs`);
    expect(html).not.toMatch(/docyard_[0-9A-Za-z]{8}/);
    expect(html).toContain('Docyard is running');
  });

  test('an invalid host name is not echoed', async () => {
    const { request } = await import('node:http');
    const text = await new Promise<string>((resolve, reject) => {
      request(`${service.origin}/`, { headers: { host: '"><script>alert(1)</script>' } }, (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        answer.once('end', () => resolve(body));
      })
        .once('error', reject)
        .end();
    });
    expect(text).not.toContain('alert(1)');
  });
});

test('a file of the dashboard sends the headers that every answer has', async () => {
  const { headers } = await service.request('/dashboard/');
  expect([headers.get('x-content-type-options'), headers.get('referrer-policy')]).toEqual([
    'nosniff',
    'no-referrer',
  ]);
});

test('the OpenAPI document is generated from the table of operations', async () => {
  const answer = await service.request('/openapi.json');
  expect(answer.headers.get('content-type')).toBe('application/json');
  const document = { ...buildOpenApi(), servers: [{ url: '/' }] };
  expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(document)));
});

describe('the manual', () => {
  test('the path /docs redirects to /docs/, which serves the manual', async () => {
    const redirect = await service.request('/docs');
    expect(redirect.status).toBe(308);
    expect(redirect.headers.get('location')).toBe('/docs/');
    const index = await service.request('/docs/');
    expect(index.status).toBe(200);
    expect(index.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  test('every page and file of the manual sends the security headers of the dashboard', async () => {
    const names = [
      'cross-origin-opener-policy',
      'x-content-type-options',
      'referrer-policy',
      'content-security-policy',
    ];
    const headersOf = async (path: string) => {
      const answer = await service.request(path);
      await answer.arrayBuffer();
      return names.map((name) => answer.headers.get(name));
    };
    for (const path of ['/docs/', '/docs/quickstart.html', '/docs/_docyard/style.css']) {
      const [opener, sniffing, referrer, policy] = await headersOf(path);
      expect([path, opener, sniffing, referrer]).toEqual([path, 'same-origin', 'nosniff', 'no-referrer']);
      for (const rule of [
        "default-src 'none'",
        "script-src 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
      ])
        expect(policy?.split('; ')).toContain(rule);
    }
  });

  test('a page of the manual supports compression, revalidation and ranges', async () => {
    const whole = await service.request('/docs/quickstart.html', { headers: { 'accept-encoding': 'br' } });
    expect(whole.headers.get('content-encoding')).toBe('br');
    const text = await whole.text();
    const etag = whole.headers.get('etag') ?? '';
    const again = await service.request('/docs/quickstart', {
      headers: { 'accept-encoding': 'br', 'if-none-match': etag },
    });
    expect(again.status).toBe(304);
    const part = await service.request('/docs/quickstart.html', { headers: { range: 'bytes=0-14' } });
    expect([part.status, await part.text()]).toEqual([206, text.slice(0, 15)]);
  });

  test('every link of the start page resolves', async () => {
    const links = [...html.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, href]) => href ?? '');
    expect(links.length).toBeGreaterThanOrEqual(5);
    for (const link of links.filter((each) => !each.startsWith('data:'))) {
      const answer = await service.request(link);
      expect([link, answer.status]).toEqual([link, 200]);
      await answer.arrayBuffer();
    }
  });

  test('a path outside the manual is answered 404', async () => {
    for (const path of [
      '/docs/nothing',
      '/docs/../package.json',
      '/docs/%2e%2e/%2e%2e/etc/passwd',
      '/docs/%zz',
      '/docs//etc/passwd',
    ]) {
      expect([path, (await service.request(path)).status]).toEqual([path, 404]);
    }
  });
});

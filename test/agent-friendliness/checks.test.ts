import { expect, test } from 'vitest';
import { makeSite, startServer } from '../../packages/site/test/support/served-releases.ts';
import { checks, fetchSite } from './checks.ts';

test('the checks name what a site lacks', async () => {
  const publicUrl = 'https://docs.example.com';
  const address = (path: string) => `<url><loc>${publicUrl}/${path}</loc></url>`;
  const server = await startServer(
    await makeSite({
      'sitemap.xml': `<urlset>${['', 'guide', 'other'].map(address).join('')}</urlset>`,
      'llms.txt': `${'x'.repeat(50_000)}\n\n- [Guide](${publicUrl}/guide): Guide\n- [Gone](${publicUrl}/gone.md)`,
      'index.html': '<main><h1>Home</h1></main>',
      'guide.html': `${'nav '.repeat(40_000)}<main>empty</main><div role="tabpanel">${'tab '.repeat(20_000)}`,
      'guide.md': `# Guide\n\n~~~\n${'long '.repeat(30_000)}`,
      'other.html': '<form><input type="password"></form>',
    }),
  );
  const fetched = await fetchSite({ publicUrl, servedUrl: `http://127.0.0.1:${server.port}` });
  const results = await Promise.all(
    Object.entries(checks).map(async ([name, check]) => [name, (await check(fetched)).length] as const),
  );
  const passed = results.filter(([, failures]) => failures === 0).map(([name]) => name);
  expect(passed).toEqual([
    'llms-txt-exists',
    'http-status-codes',
    'redirect-behavior',
    'markdown-content-parity',
  ]);
});

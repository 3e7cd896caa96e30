/** Remote pictures and fonts in exports and builds: the service fetches them from allowed hosts for a process without a network. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { waitForExport, type ExportJob } from '@docyard/api';
import { downloadBundle } from '@docyard/api/download';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { program, startService, temporaryFolder, writeFiles, type Service } from './service.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const font = Buffer.from('wOF2 of another host');
const drawing =
  '<svg xmlns="http://www.w3.org/2000/svg" width="4" height="2"><script>alert(1)</script></svg>';

let pictures: Server;
let host: string;
let service: Service;
let folder: string;
const asked: string[] = [];

beforeAll(async () => {
  pictures = createServer((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/ship.png') response.end(png);
    else if (request.url === '/own.woff2') response.end(font);
    // Neither the extension nor the content type is trusted.
    else if (request.url === '/logo.png')
      response.writeHead(200, { 'content-type': 'image/png' }).end(drawing);
    else response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(pictures, 'listening');
  host = `127.0.0.1:${(pictures.address() as AddressInfo).port}`;
  folder = temporaryFolder('pictures');
  writeFiles(folder, {
    'docs.json': JSON.stringify({
      name: 'Harbour',
      theme: 'mint',
      colors: { primary: '#0f766e' },
      logo: `http://${host}/logo.png`,
      fonts: {
        body: { family: 'Own', source: `http://${host}/own.woff2`, format: 'woff2' },
        heading: { family: 'Metadata', source: 'http://169.254.169.254/a.woff2', format: 'woff2' },
      },
      navigation: { pages: ['index', 'deep/other'] },
    }),
    'index.mdx': `![A ship](http://${host}/ship.png)\n\n![Gone](http://${host}/gone.png)\n`,
    'deep/other.mdx': `![Metadata](http://169.254.169.254/picture.png)\n\n![The ship](http://${host}/ship.png)\n`,
  });
  service = await startService({ sample: false, environment: { EGRESS_ALLOW: `spec+picture+font:${host}` } });
  await service.client.call('createProject', {
    body: { name: 'Docs', domain: 'docs.example.com', source: { repository: folder } },
  });
});

afterAll(async () => {
  await service.stop();
  pictures.closeAllConnections();
  pictures.close();
});

async function exportOnce(): Promise<ExportJob> {
  const { jobId } = await service.client.call('startExport', { body: { domain: 'docs.example.com' } });
  return waitForExport(service.client, jobId, { timeoutSeconds: 50 });
}

function expectFont(site: string): void {
  const file = /'Own'; src: url\("\.\.\/([^"]+)"\)/.exec(
    readFileSync(join(site, '_docyard/site.css'), 'utf8'),
  )?.[1];
  expect(readFileSync(join(site, file ?? ''))).toEqual(font);
}

function expectPictures(site: string): void {
  const files = readdirSync(join(site, '_docyard/remote'));
  expect(files).toHaveLength(2);
  const ship = files.find((name) => name.endsWith('.png')) ?? '';
  const logo = files.find((name) => name.endsWith('.svg')) ?? '';
  expect(readFileSync(join(site, '_docyard/remote', ship))).toEqual(png);
  expect(readFileSync(join(site, '_docyard/remote', logo), 'utf8')).not.toContain('script');
  const index = readFileSync(join(site, 'index.html'), 'utf8');
  const other = readFileSync(join(site, 'deep/other.html'), 'utf8');
  expect(index).toContain(`<img src="_docyard/remote/${ship}" alt="A ship" width="1" height="1"`);
  expect(index).toContain('>Gone</a>');
  expect(other).toContain(`<img src="../_docyard/remote/${ship}" alt="The ship"`);
  expect(other).toContain(`src="../_docyard/remote/${logo}"`);
  expect(other).toContain('>Metadata</a>');
}

test('an export fetches each once, says what it could not have, and gives the same bytes again', async () => {
  const first = await exportOnce();
  expect(first.status).toBe('completed');
  expect(asked.toSorted()).toEqual(['/gone.png', '/logo.png', '/own.woff2', '/ship.png']);
  const site = temporaryFolder('bundle');
  const archive = join(site, 'bundle.tar.gz');
  await downloadBundle(service.client, first.jobId, archive);
  spawnSync('tar', ['-xzf', archive, '-C', site]);
  expectPictures(site);
  expectFont(site);
  const report = await service.client.call('readReport', { params: { jobId: first.jobId } });
  const remote = report.diagnostics.filter(({ code }) => code === 'remote_image');
  expect(remote.map(({ file, line, message }) => [file, line, message.split(': ').at(-1)])).toEqual([
    ['deep/other.mdx', 1, expect.stringContaining('The host 169.254.169.254 is at a private address.')],
    ['index.mdx', 3, expect.stringContaining('answered with status 404')],
  ]);
  const fonts = report.diagnostics.filter(({ code }) => code === 'font_not_loaded');
  expect(fonts.map(({ message }) => message)).toEqual([
    expect.stringMatching(/"Metadata".* The host 169\.254\.169\.254 is at a private address\./),
  ]);
  expect((await exportOnce()).bundle?.sha256).toBe(first.bundle?.sha256);
});

test('a build of the folder has the same pictures and fonts, and none with --offline', async () => {
  const site = await build();
  expectPictures(site);
  expectFont(site);
  const without = await build('--offline');
  expect(readdirSync(join(without, '_docyard'))).not.toContain('remote');
  expect(readFileSync(join(without, 'index.html'), 'utf8')).toContain('>A ship</a>');
  expect(readFileSync(join(without, '_docyard/site.css'), 'utf8')).not.toContain("'Own'");
});

/** Asynchronous, because this process serves the pictures. */
async function build(...more: string[]): Promise<string> {
  const out = join(temporaryFolder('build'), 'out');
  const args = [program, 'build', folder, '--out', out, '--quiet', ...more];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, EGRESS_ALLOW: `spec+picture+font:${host}` },
    stdio: 'ignore',
  });
  const [status] = (await once(child, 'exit')) as [number | null];
  expect(status).toBe(0);
  return out;
}

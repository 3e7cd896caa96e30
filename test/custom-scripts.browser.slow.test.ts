/** Custom scripts of a repository, from the command line to the reader. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import type { ExportJob, Manifest, Project, Report } from '@docyard/api';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath, launchChromium } from '../scripts/measure/browser.ts';
import { startSite } from './deployment/site.ts';
import { endWithTest } from './temporary-resources.ts';
import {
  databaseOf,
  gitRepository,
  program,
  siteFiles,
  startService,
  temporaryFolder,
  type Service,
} from './service.ts';

const domain = 'docs.example.com';
const banner = `
const box = document.createElement('aside');
box.id = 'banner-of-authors';
box.textContent = 'Ferries are late today';
document.querySelector('main').append(box);
`;
const include = ['--custom-scripts', 'include'];

let service: Service;
let project: Project;
let repository: string;

beforeAll(async () => {
  repository = gitRepository({ ...siteFiles(3), 'banner.js': banner });
  service = await startService({ sample: false });
  const source = { repository: `file://${repository}` };
  project = await service.client.call('createProject', { body: { name: 'Harbour', domain, source } });
});

afterAll(() => service?.stop());

async function docyard(...args: string[]): Promise<string> {
  const child = spawn(process.execPath, [program, ...args], {
    env: {
      ...process.env,
      DOCYARD_URL: service.origin,
      DOCYARD_API_KEY: service.key,
      ...databaseOf(service.dataDir),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithTest(child);
  const status = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  expect({ status: await status, stderr }).toMatchObject({ status: 0 });
  return stdout;
}

const start = async (...options: string[]) =>
  JSON.parse(await docyard('export', 'start', domain, ...options, '--wait', '--json')) as ExportJob;

async function outcomeOf({ jobId }: ExportJob) {
  const { client } = service;
  const { customScripts } = await client.call('readManifest', { params: { jobId } });
  const report = await client.call('readReport', { params: { jobId } });
  return { customScripts, findings: findingsOf(report) };
}

function findingsOf({ diagnostics }: Pick<Report, 'diagnostics'>): string[] {
  return diagnostics
    .filter(({ code }) => code.startsWith('custom_script'))
    .map(({ code, file }) => `${code} ${file}`);
}

const asIncluded = {
  customScripts: [expect.stringMatching(/^_docyard\/scripts\/banner\.[0-9a-f]{12}\.js$/)],
  findings: ['custom_script_included banner.js'],
};
const asSkipped = { customScripts: undefined, findings: ['custom_script_skipped banner.js'] };

describe('docyard export start', () => {
  test('without the option leaves the script out, and the report lists it', async () => {
    const job = await start();
    expect(job.options.customScripts).toBe('skip');
    expect(await outcomeOf(job)).toEqual(asSkipped);
  });

  test('follows the setting of the project, unless it is given the option', async () => {
    const update = ['projects', 'update', project.id, '--data', service.dataDir];
    await docyard(...update, ...include);
    expect(await outcomeOf(await start())).toEqual(asIncluded);
    expect(await outcomeOf(await start('--custom-scripts', 'skip'))).toEqual(asSkipped);
    await docyard(...update, '--custom-scripts', 'skip');
    expect(await outcomeOf(await start())).toEqual(asSkipped);
  });
});

describe.skipIf(chromiumPath === undefined)('in the browser of a reader', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser?.close());

  /** The content that the script added, and whether the policy still refuses inline code. */
  async function look(address: string) {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', ({ message }) => errors.push(message));
    page.on('console', (said) => {
      const isOfIcon = said.location().url.endsWith('/favicon.ico');
      if (said.type() === 'error' && !isOfIcon) errors.push(said.text());
    });
    await page.goto(address);
    const added = await page.locator('#banner-of-authors').allTextContents();
    expect(errors).toEqual([]);
    const isInlineRefused = await page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'document.documentElement.dataset.inline = "ran"';
      document.body.append(script);
      return document.documentElement.dataset['inline'] === undefined;
    });
    await page.context().close();
    return { added, isInlineRefused };
  }

  const shown = { added: ['Ferries are late today'], isInlineRefused: true };
  const bare = { added: [], isInlineRefused: true };

  test.each([
    { options: include, expected: shown },
    { options: [], expected: bare },
  ])('a bundle that was exported with $options shows $expected.added', async ({ options, expected }) => {
    const file = join(temporaryFolder('bundle'), 'bundle.tar.gz');
    await docyard('export', 'start', domain, ...options, '--download', file);
    const dataDir = temporaryFolder('site');
    await docyard('bundle', 'import', file, '--data', dataDir);
    const site = await startSite({ dataDir });
    expect(await look(`${site.origin}/`)).toEqual(expected);
    expect(await look(`${site.origin}/guides/page-1.html`)).toEqual(expected);
    await site.stop();
    const index = (await docyard('open', file, '--print')).trim();
    expect(await look(pathToFileURL(index).href)).toEqual(expected);
  });

  test.each([
    { options: include, expected: shown, outcome: asIncluded },
    { options: [], expected: bare, outcome: asSkipped },
  ])(
    'a folder that docyard build made with $options shows $expected.added from a file:// address',
    async ({ options, expected, outcome }) => {
      const out = join(temporaryFolder('built'), 'site');
      await docyard('build', repository, '--out', out, ...options);
      expect(await look(pathToFileURL(join(out, 'index.html')).href)).toEqual(expected);
      const { customScripts } = readJson(out, 'manifest.json') as Manifest;
      expect({ customScripts, findings: findingsOf(readJson(out, 'report.json') as Report) }).toEqual(
        outcome,
      );
      const scripts = join(out, '_docyard', 'scripts');
      expect(existsSync(scripts) ? readdirSync(scripts).length : 0).toBe(expected.added.length);
    },
  );
});

function readJson(...path: string[]): unknown {
  return JSON.parse(readFileSync(join(...path), 'utf8'));
}

/**
 * Measures the time from an edit to the first frame in which Chromium shows it with `docyard dev`, for page text and for a
 * title.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { launchChromium } from '../scripts/measure/browser.ts';
import { program, temporaryFolder } from '../test/service.ts';
import { writeCorpus } from './corpus.ts';
import { median, percentile, rounded, type Measurement } from './measurement.ts';

const edits = 40;
const pauseMs = 150;

export const devEdit: Measurement = {
  name: 'dev-edit',
  about: 'from writing a file to seeing it in the browser, with `docyard dev` on 1,000 pages',
  async run(report, { pages = 1000, folder }) {
    const corpus = temporaryFolder('corpus');
    writeCorpus(corpus, pages);
    const sites = [{ name: `corpus of ${pages} pages`, root: corpus }];
    if (folder !== undefined) {
      const copy = join(temporaryFolder('site'), basename(folder));
      await cp(folder, copy, { recursive: true });
      sites.push({ name: basename(folder), root: copy });
    }
    const rows: (string | number)[][] = [];
    for (const { name, root } of sites) {
      report(`${name}: ${edits} edits of text, ${edits} of titles`);
      rows.push(...(await measureSite(root)).map((row) => [name, ...row]));
    }
    return {
      columns: ['site', 'what', 'median ms', 'p95 ms', 'slowest ms'],
      rows,
      notes: [
        `${edits} edits of each kind, ${pauseMs} ms apart, of one page that is open in Chromium and scrolled down. The clock stops in the first frame that shows the new text: in the content, or in the entry of the sidebar. The first page counts from the start of the command.`,
      ],
    };
  },
};

async function measureSite(root: string): Promise<(string | number)[][]> {
  const began = performance.now();
  const { child, address } = await startDev(root);
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(address);
    const firstPage = performance.now() - began;
    const { file, href } = await editablePage(root, page);
    await page.goto(href);
    await page.waitForFunction(() => document.querySelector('#docyard-preview') !== null);
    await page.evaluate(() => scrollTo(0, 400));
    const source = await readFile(join(root, file), 'utf8');
    const text = await repeat(page, '.dy-content', (mark) =>
      writeFile(join(root, file), `${source}\n\n${mark}\n`),
    );
    const title = await repeat(page, '.dy-site-sidebar [aria-current="page"]', (mark) =>
      writeFile(join(root, file), withTitle(source, mark)),
    );
    return [
      ['first page in the browser', Math.round(firstPage), '–', '–'],
      ['edit of the text', ...figures(text)],
      ['edit of the title', ...figures(title)],
    ];
  } finally {
    await browser.close();
    child.kill('SIGINT');
  }
}

function figures(all: readonly number[]): number[] {
  return [median(all), percentile(all, 0.95), Math.max(...all)].map((value) => rounded(value, 0));
}

async function startDev(root: string): Promise<{ child: ChildProcess; address: string }> {
  const child = spawn(process.execPath, [program, 'dev', root, '--port', '0', '--no-open', '--offline'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NO_COLOR: '1' },
  });
  let output = '';
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const found = /http:\/\/localhost:(\d+)/.exec(output);
      if (found) resolve(`http://127.0.0.1:${found[1]}/`);
    });
    child.once('exit', (status) => reject(new Error(`docyard dev ended with ${status}: ${output}`)));
  });
  return { child, address };
}

/** The first page in the sidebar that is a file with a title. */
async function editablePage(root: string, page: Page): Promise<{ file: string; href: string }> {
  const links = await page.$$eval('.dy-site-sidebar a[href]', (all) =>
    all.map((link) => (link as HTMLAnchorElement).href),
  );
  for (const href of links.filter((link) => new URL(link).origin === new URL(page.url()).origin)) {
    const file = `${decodeURIComponent(new URL(href).pathname)
      .slice(1)
      .replace(/\.html$/, '')}.mdx`;
    const text = await readFile(join(root, file), 'utf8').catch(() => '');
    if (/^title:/m.test(text) && !/^sidebarTitle:/m.test(text) && !/^openapi:/m.test(text))
      return { file, href };
  }
  throw new Error('The sidebar of the first page names no page with a title.');
}

function withTitle(source: string, title: string): string {
  return source.replace(/^title:.*$/m, `title: ${title}`);
}

async function repeat(
  page: Page,
  selector: string,
  edit: (mark: string) => Promise<void>,
): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < edits; at += 1) {
    const mark = `Seen${selector.length}x${at}z`;
    await watchFor(page, selector, mark);
    const began = performance.timeOrigin + performance.now();
    await edit(mark);
    const seen = await page.evaluate(() => (window as Window & { seen?: Promise<number> }).seen);
    times.push((seen ?? Number.NaN) - began);
    await page.waitForTimeout(pauseMs);
  }
  return times;
}

/** Checks in every frame. Both processes read the same clock. */
async function watchFor(page: Page, selector: string, mark: string): Promise<void> {
  await page.evaluate(
    ([where = '', wanted = '']) => {
      (window as Window & { seen?: Promise<number> }).seen = new Promise((resolve, reject) => {
        setTimeout(() => reject(new Error(`${wanted} was not seen within 30 s`)), 30_000);
        const look = (): void => {
          const found = [...document.querySelectorAll(where)].some((part) =>
            part.textContent.includes(wanted),
          );
          if (found) resolve(performance.timeOrigin + performance.now());
          else requestAnimationFrame(look);
        };
        look();
      });
    },
    [selector, mark],
  );
}

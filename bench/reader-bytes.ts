/** Measures what a reader downloads from a large site in Chromium over gzip: a plain page with its assets, and first searches. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchChromium } from '../scripts/measure/browser.ts';
import { serve } from '../scripts/measure/serve.ts';
import { temporaryFolder } from '../test/service.ts';
import { sharedCorpus } from './corpus.ts';
import { docyardBuild } from './docyard.ts';
import { counted, median, rounded, verdict, type Measurement } from './measurement.ts';
import { filesBelow } from './plain-files.ts';

const defaultPages = 10_000;
/** Single and several words, common and rare, with a typo, and without a match. */
const questions = ['keyboard', 'install', 'mock agent request', 'controlled dialog', 'nested mnu', 'zzzyx'];
const limits = { scripts: 15, styles: 20, firstLoad: 60, withFonts: 150, question: 100 };

interface Downloaded {
  scripts: number;
  styles: number;
  /** Without fonts. */
  firstLoad: number;
  fonts: number;
  question: number;
  questionFiles: number;
}

/** The whole query at once, or letter by letter, where each letter may send a request. */
type Way = 'at once' | 'typed';
const letterMs = 120;

export const readerBytes: Measurement = {
  name: 'reader-bytes',
  about: 'what a reader of 10,000 pages downloads for a page and for a first question to the search',
  async run(report, { pages = defaultPages }) {
    report(`a site of ${pages} pages`);
    const site = join(temporaryFolder('read'), 'site');
    await docyardBuild(sharedCorpus(pages).folder, site);
    const page = plainPageOf(site);
    const server = await serve(site);
    const browser = await launchChromium();
    const downloads: [string, Record<Way, Downloaded>][] = [];
    try {
      for (const question of questions) {
        report(`“${question}”`);
        const address = `${server.origin}/${page}`;
        const atOnce = await download(browser, address, question, 'at once');
        downloads.push([
          question,
          { 'at once': atOnce, typed: await download(browser, address, question, 'typed') },
        ]);
      }
    } finally {
      await browser.close();
      await server.close();
      rmSync(site, { recursive: true, force: true });
    }
    const middle = (name: keyof Downloaded): number =>
      median(downloads.map(([, each]) => each['at once'][name])) / 1000;
    const most = (way: Way): number => Math.max(...downloads.map(([, each]) => each[way].question)) / 1000;
    return {
      columns: ['', 'kB over gzip', 'files', 'kB typed letter by letter', 'files'],
      rows: [
        ['scripts of a plain page', rounded(middle('scripts')), '–', '–', '–'],
        ['styles of a plain page', rounded(middle('styles')), '–', '–', '–'],
        ['first load of a plain page without fonts', rounded(middle('firstLoad')), '–', '–', '–'],
        ['fonts of a plain page', rounded(middle('fonts')), '–', '–', '–'],
        ...downloads.map(([name, { 'at once': atOnce, typed }]) => [
          `first question “${name}”`,
          rounded(atOnce.question / 1000),
          atOnce.questionFiles,
          rounded(typed.question / 1000),
          typed.questionFiles,
        ]),
      ],
      notes: [
        `${counted(pages)} pages. Bytes on the wire as Chromium counts them, headers included, from a server that packs with gzip. Each question is asked by a reader with an empty cache who has just opened a page; the script and the words of the search belong to it. Typed letter by letter, ${letterMs} ms apart, what is shown on the way counts too.`,
      ],
      verdicts: [
        limit('Scripts of a plain page', middle('scripts'), limits.scripts),
        limit('Styles of a plain page', middle('styles'), limits.styles),
        limit('First load of a plain page without fonts', middle('firstLoad'), limits.firstLoad),
        limit(
          'First load of a plain page with fonts',
          middle('firstLoad') + middle('fonts'),
          limits.withFonts,
        ),
        verdict(
          `First question to the search of ${counted(pages)} pages`,
          `< ${limits.question} kB gz`,
          `${rounded(most('at once'))} kB gz at most (typed letter by letter: ${rounded(most('typed'))})`,
          most('at once') < limits.question,
          pages === defaultPages,
        ),
      ],
    };
  },
};

function limit(measure: string, kilobytes: number, most: number) {
  return verdict(measure, `≤ ${most} kB gz`, `${rounded(kilobytes)} kB gz`, kilobytes <= most);
}

function plainPageOf(site: string): string {
  const pages = filesBelow(site)
    .map((file) => file.slice(site.length + 1))
    .filter((file) => file.endsWith('.html') && file.includes('/') && !/^(?:print|_docyard)\//.test(file))
    .toSorted();
  return pages[Math.floor(pages.length / 2)] ?? 'index.html';
}

async function download(browser: Browser, address: string, question: string, way: Way): Promise<Downloaded> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const network = await context.newCDPSession(page);
  const types = new Map<string, string>();
  const seen: { type: string; bytes: number }[] = [];
  network.on('Network.responseReceived', ({ requestId, type }) => types.set(requestId, type));
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength: bytes }) =>
    seen.push({ type: types.get(requestId) ?? 'Other', bytes }),
  );
  await network.send('Network.enable');
  await page.goto(address, { waitUntil: 'networkidle' });
  const first = seen.splice(0);
  await page.keyboard.press('/');
  await page.getByRole('combobox').waitFor();
  if (way === 'typed') await page.keyboard.type(question, { delay: letterMs });
  else await page.getByRole('combobox').fill(question);
  await page.locator('.dy-search-dialog mark:visible, .dy-search-nothing:visible').first().waitFor();
  await page.waitForLoadState('networkidle');
  await context.close();
  const sum = (of: typeof seen, type?: string): number =>
    of
      .filter((each) => type === undefined || each.type === type)
      .reduce((total, { bytes }) => total + bytes, 0);
  return {
    scripts: sum(first, 'Script'),
    styles: sum(first, 'Stylesheet'),
    firstLoad: sum(first) - sum(first, 'Font'),
    fonts: sum(first, 'Font'),
    question: sum(seen),
    questionFiles: seen.length,
  };
}

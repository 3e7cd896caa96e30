/**
 * Runs hostile sites at one isolation level and looks for effects outside the sandbox: canaries, the harmless page, the output,
 * processes, memory and time.
 */
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contentsOf, differences, startCanary } from '../hostile/agent/process-monitor.ts';
import { type Attack, innocentSite, layOut } from './corpus.ts';
import { type Ending, exportFolder } from './export.ts';
import { dangersIn } from './page-dangers.ts';
import type { Level } from './isolation-levels.ts';

export interface Outcome {
  id: string;
  name: string;
  class: Attack['class'];
  level: Level['level'];
  /** The expected findings that were reported. */
  reported: string[];
  milliseconds: number;
  peakMegabytes: number;
  /** Effects outside the sandbox, and missing findings. */
  problems: string[];
  /** The attack succeeded at a level that should contain it. */
  isEscape: boolean;
}

/** Of all processes of an export together. */
const maxMegabytes = 1000;

/** Runs cases at one level: holds the canaries and the expected harmless page. */
export class Stage {
  readonly #level: Level;
  readonly #folder = mkdtempSync(join(tmpdir(), 'docyard-attacks-'));
  readonly #secrets = { inFile: secret(), inEnvironment: secret() };
  #canary: Awaited<ReturnType<typeof startCanary>> | undefined;
  #innocent: { page: string; text: string } | undefined;

  constructor(level: Level) {
    this.#level = level;
  }

  async prepare(): Promise<void> {
    process.env['DOCYARD_CANARY'] = this.#secrets.inEnvironment;
    const outside = join(this.#folder, 'outside');
    mkdirSync(outside);
    for (const name of ['secret', 'secret.mdx', 'secret.json', 'secret.svg'])
      writeFileSync(join(outside, name), this.#secretText(name));
    this.#canary = await startCanary();
    const work = join(this.#folder, 'innocent');
    mkdirSync(work);
    const { output, complaint } = await exportFolder(innocentSite, work, this.#level);
    if (output === undefined) throw new Error(`the innocent site was not exported: ${complaint}`);
    this.#innocent = innocentIn(output);
  }

  async run(attack: Attack): Promise<Outcome> {
    const work = mkdtempSync(join(this.#folder, 'case-'));
    const site = join(work, 'site');
    const outside = join(this.#folder, 'outside');
    try {
      layOut(attack, this.#places(), site);
      const before = { site: namesIn(site), outside: contentsOf(outside, () => false), visits: this.#visits };
      const ending = await exportFolder(site, work, this.#level);
      const changed = [
        ...differences(
          before.outside,
          contentsOf(outside, () => false),
        ),
        ...namesIn(site).filter((name) => !before.site.includes(name)),
      ];
      const problems = [
        ...changed.map((name) => `${name} was written`),
        ...(this.#visits > before.visits ? [`${this.#visits - before.visits} connections were made`] : []),
        ...(ending.processesLeft > 0 ? [`${ending.processesLeft} processes are left`] : []),
        ...(ending.peakMegabytes > maxMegabytes ? [`it took ${ending.peakMegabytes} MB`] : []),
        ...unnamed(attack, ending),
        ...(ending.output === undefined ? [] : this.#problemsOfOutput(attack, ending.output)),
      ];
      return this.#outcome(attack, ending, problems);
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }

  #outcome(attack: Attack, ending: Ending, problems: string[]): Outcome {
    const { level } = this.#level;
    const { milliseconds, peakMegabytes } = ending;
    return {
      id: attack.id,
      name: attack.name,
      class: attack.class,
      level,
      reported: ending.reported.filter((code) => isExpected(attack, code)),
      milliseconds,
      peakMegabytes,
      problems,
      isEscape: problems.length > 0 && level >= (attack.level ?? 0),
    };
  }

  async close(): Promise<void> {
    delete process.env['DOCYARD_CANARY'];
    await this.#canary?.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #visits(): number {
    return this.#canary?.visits() ?? 0;
  }

  #places() {
    const folder = join(this.#folder, 'outside');
    return {
      CANARY_FILE: join(folder, 'secret'),
      CANARY_FOLDER: folder,
      CANARY_HOST: this.#canary?.host ?? '',
      CANARY_PID: String(process.pid),
    };
  }

  /** Text that an attack would show if it could read the file. */
  #secretText(name: string): string {
    const { inFile } = this.#secrets;
    if (name.endsWith('.json'))
      return JSON.stringify({ type: 'object', description: inFile, pages: [inFile] });
    if (name.endsWith('.svg'))
      return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"><title>${inFile}</title></svg>`;
    return `${inFile}\n`;
  }

  #problemsOfOutput(attack: Attack, output: string): string[] {
    const found: string[] = [];
    for (const [file, text] of textsIn(output)) {
      for (const [where, value] of Object.entries(this.#secrets))
        if (text.includes(value)) found.push(`the secret ${where} is in ${file}`);
      if (/^root:[^:\n]*:0:0:/m.test(text)) found.push(`/etc/passwd is in ${file}`);
      if (!file.endsWith('.html')) continue;
      for (const danger of dangersIn(text).slice(0, 5)) found.push(`${file}: ${danger}`);
      // The report quotes the text of its findings.
      for (const hidden of file === 'report.html' ? [] : (attack.hides ?? []))
        if (text.includes(hidden)) found.push(`${file} holds ${hidden}`);
    }
    for (const [file, text] of Object.entries(attack.shows ?? {})) {
      const shown = existsSync(join(output, file)) ? readFileSync(join(output, file), 'utf8') : '';
      if (!shown.includes(text)) found.push(`${file} does not show "${text}"`);
    }
    return [...found, ...this.#harmToInnocent(attack, output)];
  }

  /** Compares byte for byte; with a configuration in the case, the frame of the page may differ. */
  #harmToInnocent(attack: Attack, output: string): string[] {
    if (attack.without?.includes('innocent.mdx')) return [];
    const [clean, found] = [this.#innocent, innocentIn(output)];
    const hasOwnFrame = changesFrame(attack);
    const isSame = hasOwnFrame ? found.text === clean?.text : found.page === clean?.page;
    return isSame ? [] : ['the innocent page is not what it was'];
  }
}

function secret(): string {
  return `canary-${randomBytes(12).toString('hex')}`;
}

function changesFrame({ folder, made, links, pipes }: Attack): boolean {
  const files = [...readdirSync(folder), ...Object.keys({ ...made, ...links }), ...(pipes ?? [])];
  return files.some((file) => /^docs\.json$|\.css$/.test(file));
}

/** The page, and the part that its author wrote. */
function innocentIn(output: string): { page: string; text: string } {
  const file = join(output, 'innocent.html');
  const page = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const [from, to] = [page.indexOf('id="a-heading"'), page.indexOf('>42<')];
  return { page, text: page.slice(from, to) };
}

function isExpected({ expects }: Attack, code: string): boolean {
  return expects !== 'inert' && expects.some((each) => each.split('|').includes(code));
}

function unnamed(attack: Attack, { reported, complaint }: Ending): string[] {
  const failed = reported.filter((code) => code.startsWith('failed:'));
  const wanted = attack.expects === 'inert' ? [] : attack.expects;
  const missing = wanted.filter((each) => !each.split('|').some((code) => reported.includes(code)));
  const unexpected = failed.filter((code) => !isExpected(attack, code));
  return [
    ...missing.map(
      (each) => `${each.replaceAll('|', ' or ')} is not reported, but ${reported.join(', ') || 'nothing'}`,
    ),
    ...unexpected.map((code) => `the export did not end well (${code}): ${complaint ?? ''}`),
  ];
}

/** Lists links without following them. */
function namesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? [path, ...namesIn(path)] : [path];
  });
}

function textsIn(folder: string): [string, string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'latin1')]);
}

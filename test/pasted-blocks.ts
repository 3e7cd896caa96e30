/**
 * Runs the code blocks of a document in order. It replaces only the clone, ports, the first key, `npm install` and `./my-docs`.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { root } from './deploy/dockerfile.ts';
import { freePort } from './free-port.ts';
import { endWithTest } from './temporary-resources.ts';
import { temporaryFolder } from './service.ts';

export interface Block {
  language: string;
  /** Blocks with a name are files. */
  file: string;
  text: string;
}

/** Blocks inside of components are indented. */
export function blocksOf(document: string): Block[] {
  const fences = document.matchAll(/^( *)```(\w+)(?: (\S+))?\n([^]*?)^ *```$/gm);
  return [...fences].map(([, indent = '', language = '', file = '', text = '']) => ({
    language,
    file,
    text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** They run until they are stopped; each prints Ctrl-C when it is ready. */
const isServer = ({ text }: Block) =>
  /^(?:\w+=\S+ )*(?:npm start|npx docyard (?:serve|site|dev)(?! status))\b/.test(text);

export class PastedBlocks {
  readonly folder: string;
  readonly #ports = new Map<string, number>();
  readonly #servers: ChildProcess[] = [];

  private constructor(name: string) {
    this.folder = temporaryFolder(name);
  }

  static async prepare(name: string, document: string): Promise<PastedBlocks> {
    const pasted = new PastedBlocks(name);
    const inFolder = (entry: string) => join(pasted.folder, entry);
    for (const entry of ['packages', 'docs', 'node_modules']) symlinkSync(join(root, entry), inFolder(entry));
    copyFileSync(join(root, 'package.json'), inFolder('package.json'));
    cpSync(join(root, 'packages/server/sample'), inFolder('my-docs'), { recursive: true });
    for (const port of ['4400', ...[...document.matchAll(/\b44\d\d\b/g)].map(([found]) => found)])
      pasted.#ports.set(port, pasted.#ports.get(port) ?? (await freePort()));
    return pasted;
  }

  port(written: string): number {
    return this.#ports.get(written) ?? 0;
  }

  async paste(block: Block): Promise<void> {
    const text = this.#replaced(block.text);
    if (block.file !== '') writeFileSync(join(this.folder, block.file), text);
    else if (isServer(block)) await this.#start(block);
    else if (block.language === 'bash') this.#run(text);
    else expect.unreachable(`A block is neither run nor written: ${block.text}`);
  }

  stop(): void {
    for (const { pid } of this.#servers) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  }

  #replaced(text: string): string {
    return text
      .replaceAll(/\b44\d\d\b/g, (port) => String(this.port(port)))
      .replaceAll('docyard_...', this.#firstKey());
  }

  /** Without a terminal, the first start writes the key to a file. */
  #firstKey(): string {
    const file = join(this.folder, 'data/admin-key');
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : '?';
  }

  async #start(block: Block): Promise<void> {
    const text = this.#replaced(block.text);
    const written = /\b44\d\d\b/.exec(block.text)?.[0] ?? (block.text.startsWith('npm start') ? '4400' : '');
    const port = written === '' ? await freePort() : this.port(written);
    const child = spawn('bash', ['-c', text], {
      cwd: this.folder,
      env: this.#environment({ PORT: String(port) }),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#servers.push(child);
    endWithTest(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (piece: string) => (output += piece));
    await expect.poll(() => output, { timeout: 60_000, message: text }).toContain('Ctrl-C');
  }

  /** Blocks share variables, as in one terminal. */
  #run(text: string): void {
    const state = join(this.folder, '.terminal');
    const script = `set -eau\n[ ! -e ${state} ] || . ${state}\n${text}\nexport -p >${state}\n`;
    const env = this.#environment({ DOCYARD_URL: `http://127.0.0.1:${this.port('4400')}` });
    const ended = spawnSync('bash', ['-c', script], {
      cwd: this.folder,
      env,
      encoding: 'utf8',
      timeout: 100_000,
    });
    const said = `${text}\n${ended.stdout}${ended.stderr}`;
    expect(ended.status, said).toBe(0);
    expect(ended.stdout, said).not.toContain('"requestId"');
  }

  #environment(more: Record<string, string>): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      // No browser, and no folder of the user who runs this test.
      XDG_CACHE_HOME: join(this.folder, '.cache'),
      XDG_CONFIG_HOME: join(this.folder, '.config'),
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      npm_config_ignore_scripts: 'true',
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
      ...more,
    };
  }
}

/**
 * Runs the code blocks of a document in order, as pasted into one terminal. It replaces only the address and the packages of the
 * clone, ports, the first key and folders such as /srv, and adds `./my-docs`, the documentation of the reader.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { root } from './deploy/dockerfile.ts';
import type { Block } from './document-blocks.ts';
import { freePort } from './free-port.ts';
import { endWithTest } from './temporary-resources.ts';
import { temporaryFolder } from './service.ts';

/** They run until they are stopped; each prints Ctrl-C when it is ready. */
const isServer = ({ text }: Block) =>
  /^(?:\w+=\S+ )*(?:npm start|npx docyard (?:serve|site|dev)(?! (?:status|rollback|releases|resume)))\b/.test(
    text,
  );

export class PastedBlocks {
  readonly #top: string;
  readonly #ports: ReadonlyMap<string, number>;
  readonly #servers: ChildProcess[] = [];

  private constructor(top: string, ports: ReadonlyMap<string, number>) {
    this.#top = top;
    this.#ports = ports;
  }

  static async prepare(name: string, document: string): Promise<PastedBlocks> {
    const ports = new Map<string, number>();
    for (const port of ['4400', ...[...document.matchAll(/\b44\d\d\b/g)].map(([found]) => found)])
      if (!ports.has(port)) ports.set(port, await freePort());
    const top = temporaryFolder(name);
    for (const folder of ['srv', 'var/lib']) mkdirSync(join(top, folder), { recursive: true });
    return new PastedBlocks(top, ports);
  }

  /** The folder of the clone. */
  get folder(): string {
    return join(this.#top, 'docyard');
  }

  port(written: string): number {
    return this.#ports.get(written) ?? 0;
  }

  get #terminal(): string {
    return join(this.#top, '.terminal');
  }

  /** Returns what the commands of the block print. */
  async paste(block: Block): Promise<string> {
    const text = this.#replaced(block.text);
    if (block.file !== '') this.#write(block.file, text);
    else if (isServer(block)) await this.#start(block);
    else if (block.language === 'bash') return this.#run(text);
    else expect.unreachable(`A block is neither run nor written: ${block.text}`);
    return '';
  }

  /** The next block runs beside the clone, without the variables of earlier blocks. */
  openTerminal(): void {
    rmSync(this.#terminal, { force: true });
  }

  stop(): void {
    for (const { pid } of this.#servers) if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  }

  #write(file: string, text: string): void {
    const path = join(this.folder, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }

  /** The clone has the packages of this checkout, with its installed dependencies and changes that are not committed. */
  #furnishClone(): void {
    for (const entry of ['packages', 'docs', 'node_modules']) {
      rmSync(join(this.folder, entry), { recursive: true, force: true });
      symlinkSync(join(root, entry), join(this.folder, entry));
    }
    cpSync(join(root, 'packages/server/sample'), join(this.folder, 'my-docs'), { recursive: true });
  }

  #replaced(text: string): string {
    return text
      .replaceAll(/\b44\d\d\b/g, (port) => String(this.port(port)))
      .replaceAll('https://docyard.example.com', `http://127.0.0.1:${this.port('4400')}`)
      .replaceAll(/(?<=[\s"'=])\/(?=(?:srv|var\/lib)\b)/g, `${this.#top}/`)
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
    await expect.poll(() => output, { timeout: 120_000, message: text }).toContain('Ctrl-C');
  }

  /** Blocks share variables and the folder they are in, as in one terminal. */
  #run(text: string): string {
    const script = [
      'set -eau',
      `[ ! -e ${this.#terminal} ] || . ${this.#terminal}`,
      'cd "$PWD"',
      text,
      `export -p >${this.#terminal}`,
    ];
    const env = this.#environment({ DOCYARD_URL: `http://127.0.0.1:${this.port('4400')}` });
    const ended = spawnSync('bash', ['-c', script.join('\n')], {
      cwd: this.#top,
      env,
      encoding: 'utf8',
      timeout: 200_000,
    });
    const said = `${text}\n${ended.stdout}${ended.stderr}`;
    expect(ended.status, said).toBe(0);
    expect(ended.stdout, said).not.toContain('"requestId"');
    if (text.startsWith('git clone ')) this.#furnishClone();
    return ended.stdout;
  }

  #environment(more: Record<string, string>): Record<string, string> {
    const insteadOf = { [`url.file://${root}.insteadOf`]: 'https://git.example.com/docyard.git' };
    const settings = Object.entries({ ...insteadOf, 'safe.directory': '*' });
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      // No browser, and no folder of the user who runs this test.
      XDG_CACHE_HOME: join(this.#top, '.cache'),
      XDG_CONFIG_HOME: join(this.#top, '.config'),
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
      npm_config_ignore_scripts: 'true',
      npm_config_offline: 'true',
      npm_config_update_notifier: 'false',
      GIT_CONFIG_COUNT: String(settings.length),
      ...Object.fromEntries(
        settings.flatMap(([name, value], index) => [
          [`GIT_CONFIG_KEY_${index}`, name],
          [`GIT_CONFIG_VALUE_${index}`, value],
        ]),
      ),
      ...more,
    };
  }
}

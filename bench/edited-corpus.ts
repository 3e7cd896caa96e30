/** Exports the corpus through the API, edits it, exports it again, and creates and applies the delta between the bundles. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitForExport } from '@docyard/api';
import { downloadBundle } from '@docyard/api/download';
import { commitAll, git, program, temporaryFolder, type Service } from '../test/service.ts';
import { writeCorpus } from './corpus.ts';

export interface AppliedDelta {
  fullBytes: number;
  deltaBytes: number;
  /** From the request for the delta to the end of the download. */
  makingSeconds: number;
  /** The time of `docyard bundle apply`. */
  applyingSeconds: number;
  isSame: boolean;
  /** The output of `docyard diff`. */
  diff: { pages: Record<'added' | 'changed' | 'removed' | 'moved' | 'restyled', unknown[]> };
}

export const edits = {
  'one sentence of one page': (folder) => {
    changePage(folder, 0.5, (text) =>
      text.replace('\n\n', '\n\nA sentence with a newfangled word was added here.\n\n'),
    );
  },
  'the title of one page': (folder) => {
    changePage(folder, 0.5, (text) => text.replace(/^title: .*$/m, 'title: "Another title than before"'));
  },
  'a word on every tenth page': (folder) => {
    const pages = pagesOf(folder);
    for (let index = 0; index < pages.length; index += 10)
      changePage(folder, index / pages.length, (text) => text.replace('\n\n', '\n\nNewfangled.\n\n'));
  },
} as const satisfies Record<string, (folder: string) => void>;

export class EditedCorpus {
  readonly #service: Service;
  readonly #source = temporaryFolder('corpus');
  readonly #out = temporaryFolder('bundles');
  #base = '';

  constructor(service: Service) {
    this.#service = service;
  }

  async start(pages: number): Promise<void> {
    writeCorpus(this.#source, pages);
    git(this.#source, 'init', '--quiet', '--initial-branch=main');
    commitAll(this.#source, 'Corpus');
    const source = { repository: `file://${this.#source}`, ref: 'main' };
    await this.#service.client.call('createProject', { body: { name: 'Corpus', domain, source } });
    this.#base = await this.#export('base.tar.gz');
  }

  /** Each edit starts from the original corpus. */
  async apply(edit: (folder: string) => void): Promise<AppliedDelta> {
    edit(this.#source);
    commitAll(this.#source, 'Edit');
    const jobId = await this.#export('full.tar.gz');
    const began = performance.now();
    const { sizeBytes: deltaBytes } = await downloadBundle(
      this.#service.client,
      jobId,
      this.#at('delta.tar.gz'),
      {
        since: this.#base,
      },
    );
    const made = performance.now();
    const [base, delta, applied] = ['base', 'delta', 'applied'].map((name) => this.#at(`${name}.tar.gz`));
    docyard('bundle', 'apply', `${base}`, `${delta}`, '-o', `${applied}`);
    const ended = performance.now();
    const full = readFileSync(this.#at('full.tar.gz'));
    const diff = docyard('diff', `${base}`, this.#at('full.tar.gz'), '--json');
    git(this.#source, 'reset', '--quiet', '--hard', 'HEAD~1');
    return {
      fullBytes: full.length,
      deltaBytes,
      makingSeconds: (made - began) / 1000,
      applyingSeconds: (ended - made) / 1000,
      isSame: sha256(full) === sha256(readFileSync(`${applied}`)),
      diff: JSON.parse(diff) as AppliedDelta['diff'],
    };
  }

  async #export(file: string): Promise<string> {
    const { client } = this.#service;
    const { jobId } = await client.call('startExport', { body: { domain } });
    const { failure } = await waitForExport(client, jobId);
    if (failure !== null) throw new Error(`The export ended as ${JSON.stringify(failure)}`);
    await downloadBundle(client, jobId, this.#at(file));
    return jobId;
  }

  #at(name: string): string {
    return join(this.#out, name);
  }
}

const domain = 'corpus.example.com';

function pagesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.mdx'))
    .toSorted();
}

/** Changes the page at this share of the list, from 0 to 1. */
function changePage(folder: string, share: number, change: (text: string) => string): void {
  const pages = pagesOf(folder);
  const file = join(folder, pages[Math.floor(share * pages.length)] ?? '');
  const text = readFileSync(file, 'utf8');
  const changed = change(text);
  if (changed === text) throw new Error(`The edit changes nothing in ${file}.`);
  writeFileSync(file, changed);
}

function docyard(...args: string[]): string {
  const ended = spawnSync(process.execPath, [program, ...args], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (ended.status !== 0) throw new Error(`docyard ${args.join(' ')}: ${ended.stderr}`);
  return ended.stdout;
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

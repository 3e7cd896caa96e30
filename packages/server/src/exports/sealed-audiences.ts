/**
 * Renders the site for each of its audiences and adds the files that differ from those of the bundle, sealed with the content key of
 * the project.
 */
import { createHash, hash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { Audience, ContentKey } from '@docyard/bundle';
import type { Archive } from '@docyard/bundle/writer';
import {
  renderAudience,
  type Diagnostic,
  type OutputFile,
  type RenderOptions,
  type Site,
  type SiteAudience,
  type SiteAudiences,
} from '@docyard/render';
import { OrderFailedError } from './order-failure.ts';

type ListedFile = Audience['files'][number];

interface Sealing {
  site: Site;
  archive: Archive;
  key: ContentKey;
  options: RenderOptions;
  /** Called with the number of pages before each audience. */
  onAudience: (pages: number) => void;
  onPage: () => void;
  onFinding: (finding: Diagnostic) => void;
}

/** Sealing needs the whole file in memory. */
const maxSealedBytes = 256 * 1024 ** 2;

/** Called when the archive contains all files of readers without a group. */
export async function addSealedAudiences(sealing: Sealing, wanted: SiteAudiences): Promise<void> {
  const { sealAudiences, sealedIndexPath } = await import('@docyard/bundle');
  const { archive, key } = sealing;
  const files = new SealedFiles(archive, key);
  const audiences: Audience[] = [];
  for (const audience of wanted.audiences)
    audiences.push({ ...audience, files: await filesFor(sealing, audience, files) });
  const { excludedGroups } = wanted;
  archive.add(sealedIndexPath, sealAudiences(key, { excludedGroups, audiences }));
}

async function filesFor(sealing: Sealing, audience: SiteAudience, files: SealedFiles): Promise<ListedFile[]> {
  const listed: ListedFile[] = [];
  for await (const event of renderAudience(sealing.site, audience, sealing.options)) {
    if (event.type === 'planned') sealing.onAudience(event.pages);
    if (event.type === 'diagnostic') sealing.onFinding(event.diagnostic);
    if (event.type !== 'file') continue;
    listed.push(await files.add(event.file));
    if (event.file.kind === 'page') sealing.onPage();
  }
  return listed.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

class SealedFiles {
  readonly #archive: Archive;
  readonly #key: ContentKey;
  /** Files that the manifest lists. */
  readonly #open: ReadonlyMap<string, ListedFile>;
  readonly #sealed = new Set<string>();
  readonly #copied = new Map<string, string>();

  constructor(archive: Archive, key: ContentKey) {
    this.#archive = archive;
    this.#key = key;
    this.#open = new Map(archive.list().map((file) => [file.path, file]));
  }

  async add({ path, content }: OutputFile): Promise<ListedFile> {
    const { seal, sealedPathOf, pageTitle } = await import('@docyard/bundle');
    const facts = await this.#factsOf(content);
    const { sha256, sizeBytes } = facts;
    const open = this.#open.get(path);
    if (open?.sha256 === sha256) return open;
    if (sizeBytes > maxSealedBytes)
      throw new OrderFailedError(
        'too_large',
        `${path} is ${Math.ceil(sizeBytes / 1024 ** 2)} MB. A file that only some readers see must not exceed ${maxSealedBytes / 1024 ** 2} MB.`,
      );
    const bytes = facts.read();
    const sealedPath = sealedPathOf(this.#key, sha256);
    if (!this.#sealed.has(sha256)) this.#archive.add(sealedPath, seal(this.#key, sealedPath, bytes));
    this.#sealed.add(sha256);
    const title = pageTitle(path, bytes);
    return { path, sizeBytes, sha256, ...(title === undefined ? {} : { title }) };
  }

  async #factsOf(
    content: OutputFile['content'],
  ): Promise<{ sha256: string; sizeBytes: number; read: () => Uint8Array }> {
    if ('read' in content) return content;
    if ('copyFrom' in content) {
      const file = content.copyFrom;
      const sha256 = this.#copied.get(file) ?? (await hashOf(file));
      this.#copied.set(file, sha256);
      return { sha256, sizeBytes: statSync(file).size, read: () => readFileSync(file) };
    }
    // A piece may be overwritten when the next one is requested.
    const bytes = Buffer.concat(Array.from(content.pieces, (piece) => Buffer.from(piece)));
    return { sha256: hash('sha256', bytes), sizeBytes: bytes.length, read: () => bytes };
  }
}

async function hashOf(file: string): Promise<string> {
  const hashing = createHash('sha256');
  await pipeline(createReadStream(file), hashing);
  return hashing.digest('hex');
}

/** Where the content of a release is on disk: public files by path, and opened sealed files by hash. */
import { join } from 'node:path';
import type { Manifest } from '@docyard/bundle';
import { type CompressedFiles, encodings, packOf, readCompressed } from './compressed-files.ts';
import type { FileDescription } from './static-file.ts';

export type ListedFile = Manifest['files'][number];

/** Sealed files after they were opened. */
export interface RestrictedFolders {
  /** The name of a file is its hash. */
  filesFolder: string;
  compressedFolder: string;
}

export interface ContentFolders {
  siteFolder: string;
  compressedFolder: string;
  /** The files in `siteFolder`. */
  manifest: Pick<Manifest, 'files'>;
  restricted?: RestrictedFolders | undefined;
}

export class ReleaseContent {
  readonly #folders: ContentFolders;
  /** Of the public files, by path. */
  readonly #hashes: ReadonlyMap<string, string>;
  readonly #packs: readonly { file: string; places: CompressedFiles }[];

  private constructor(folders: ContentFolders, packs: { file: string; places: CompressedFiles }[]) {
    this.#folders = folders;
    const { manifest, restricted } = folders;
    this.#hashes = new Map(
      restricted === undefined ? [] : manifest.files.map(({ path, sha256 }) => [path, sha256]),
    );
    this.#packs = packs;
  }

  static async open(folders: ContentFolders): Promise<ReleaseContent> {
    const { compressedFolder, restricted } = folders;
    const all = [compressedFolder, ...(restricted === undefined ? [] : [restricted.compressedFolder])];
    const packs = all.map(async (folder) => ({
      file: packOf(folder),
      places: await readCompressed(folder),
    }));
    return new ReleaseContent(folders, await Promise.all(packs));
  }

  fileOf({ path, sha256 }: ListedFile): string {
    const { siteFolder, restricted } = this.#folders;
    if (restricted === undefined || this.#hashes.get(path) === sha256) return join(siteFolder, path);
    return join(restricted.filesFolder, sha256);
  }

  formsOf(listed: ListedFile): Pick<FileDescription, 'plain' | 'compressed'> {
    const compressed: FileDescription['compressed'] = {};
    for (const { file, places } of this.#packs) {
      const found = places.get(listed.sha256) ?? {};
      for (const encoding of encodings) {
        const place = found[encoding];
        if (place !== undefined) compressed[encoding] ??= { file, ...place };
      }
    }
    return { plain: { file: this.fileOf(listed), offset: 0, sizeBytes: listed.sizeBytes }, compressed };
  }
}

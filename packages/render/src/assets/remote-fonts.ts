/**
 * Stores fonts of other hosts as files of the output, named by their content hash: families of Google Fonts by
 * name, and files by address. The caller downloads; this file decides what to request and what is a font.
 */
import { hash } from 'node:crypto';
import { type FontFace, type FontFile, fontFolder } from '../model/font-face.ts';
import { type DeclaredFace, declaredFaces } from './font-css.ts';
import { coversAny } from './font-letters.ts';
import { type FetchRemoteFile, RemoteHosts, hasAnswered } from './remote-hosts.ts';

export interface FontRequest {
  family: string;
  /** The address of a font file. Without it, the family is one of Google Fonts. */
  source?: string | undefined;
  /** As in CSS: of the file, or of text that must be available. */
  weight?: string | undefined;
  /** Only the parts of a family that contain one of them are downloaded. */
  letters: readonly string[];
}

export type FontOutcome = { faces: readonly FontFace[] } | { problem: string };

const maxFileBytes = 1_000_000;
const maxFamilyBytes = 2_000_000;
const maxFilesOfFamily = 24;

export class RemoteFonts {
  readonly #fetch: FetchRemoteFile | undefined;
  readonly #outcomes = new Map<string, FontOutcome>();
  readonly #paths = new Set<string>();

  constructor(fetch: FetchRemoteFile | undefined, hosts = new RemoteHosts()) {
    this.#fetch = fetch && hosts.bounded(fetch);
  }

  outcomeOf(request: FontRequest): FontOutcome {
    return this.#outcomes.get(JSON.stringify(request)) ?? { problem: 'the export may not use the network' };
  }

  /** Downloads unknown fonts at the same time, each in one attempt, and returns their new files. Never rejects. */
  async settle(requests: readonly FontRequest[]): Promise<FontFile[]> {
    const fetch = this.#fetch;
    if (!fetch) return [];
    const unknown = new Map(requests.map((request) => [JSON.stringify(request), request]));
    for (const key of this.#outcomes.keys()) unknown.delete(key);
    const downloads = [...unknown].map(async ([key, request]) => ({
      key,
      font: await download(fetch, request),
    }));
    const files: FontFile[] = [];
    for (const { key, font } of await Promise.all(downloads)) {
      this.#outcomes.set(key, 'problem' in font ? font : { faces: font.faces });
      if ('problem' in font) continue;
      for (const file of font.files) {
        if (!this.#paths.has(file.path)) files.push(file);
        this.#paths.add(file.path);
      }
    }
    return files;
  }
}

interface Downloaded {
  faces: FontFace[];
  files: FontFile[];
}

async function download(
  fetch: FetchRemoteFile,
  request: FontRequest,
): Promise<Downloaded | { problem: string }> {
  try {
    const { source, weight = '100 900' } = request;
    if (source !== undefined) return await filesOf(fetch, request.family, [{ address: source, weight }]);
    const faces = await facesOfGoogle(fetch, request);
    return await filesOf(fetch, request.family, faces);
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** The weights that the theme uses for text and headings. */
const usualWeights = [400, 500, 600, 700];
const google = 'https://fonts.googleapis.com';

/** The newer interface has variable fonts; it refuses a family without them, which the older one knows. */
async function facesOfGoogle(
  fetch: FetchRemoteFile,
  { family, weight, letters }: FontRequest,
): Promise<DeclaredFace[]> {
  const name = encodeURIComponent(family).replaceAll('%20', '+');
  const own = weight === undefined ? [] : [Math.min(1000, Math.max(1, Math.round(Number(weight))))];
  const weights = [...new Set([...usualWeights, ...own])].toSorted((a, b) => a - b);
  const range = `${weights[0]}..${weights.at(-1)}`;
  const css = await fetch(`${google}/css2?family=${name}:wght@${range}&display=swap`).catch(
    (error: unknown) => {
      if (!hasAnswered(error)) throw error;
      return fetch(`${google}/css?family=${name}:${weights.join(',')}&display=swap`);
    },
  );
  const faces = declaredFaces(new TextDecoder().decode(css));
  const needed = faces.filter(({ unicodeRange }) => coversAny(unicodeRange, letters));
  if (needed.length === 0) throw new Error(`Google Fonts lists no usable file of the family "${family}"`);
  return needed;
}

async function filesOf(
  fetch: FetchRemoteFile,
  family: string,
  declared: readonly DeclaredFace[],
): Promise<Downloaded> {
  const addresses = [...new Set(declared.map(({ address }) => address))];
  if (addresses.length > maxFilesOfFamily)
    throw new Error(`the family consists of more than ${maxFilesOfFamily} files`);
  const files = new Map(
    await Promise.all(addresses.map(async (address) => [address, fontFile(await fetch(address))] as const)),
  );
  const bytes = [...files.values()].reduce((sum, { content }) => sum + content.length, 0);
  if (bytes > maxFamilyBytes)
    throw new Error(`its files are larger than ${maxFamilyBytes / 1e6} MB together`);
  const faces = declared.flatMap(({ address, weight, unicodeRange }) => {
    const file = files.get(address)?.path;
    return file === undefined ? [] : [{ family, file, weight, unicodeRange }];
  });
  return { faces, files: [...files.values()] };
}

function fontFile(content: Uint8Array): FontFile {
  if (content.length > maxFileBytes) throw new Error(`a file is larger than ${maxFileBytes / 1e6} MB`);
  const extension = fontExtension(content);
  if (extension === undefined) throw new Error('the file is not a font that browsers read');
  return { path: contentPath(content, extension), content };
}

export function contentPath(content: Uint8Array, extension: string): string {
  return `${fontFolder}/${hash('sha256', content).slice(0, 16)}.${extension}`;
}

/** Security: detects the format by content, because a host's content type and file name are untrusted. */
function fontExtension(content: Uint8Array): string | undefined {
  const head = Buffer.from(content.subarray(0, 4)).toString('latin1');
  return { wOF2: 'woff2', wOFF: 'woff', OTTO: 'otf', true: 'ttf', '\0\x01\0\0': 'ttf' }[head];
}

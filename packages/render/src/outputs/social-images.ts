/**
 * The pictures for shared links, one for each part of the navigation that a page was written for: a picture for each
 * page would make a bundle a third larger. They are drawn after the pages, in the first process.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { pictureSize } from '../assets/picture-size.ts';
import type { Site } from '../load.ts';
import type { LinkResolver } from '../navigation/links.ts';
import type { OutputContext } from './list.ts';
import { type SocialImage, socialImageSvg } from './social-image-svg.ts';

export interface SocialSection {
  label: string;
  above: string;
}

/** Beyond this a site has one picture for all further parts. A picture takes 28 ms of a processor and 25 kB. */
const mostImages = 100;
const largestBackgroundBytes = 3_000_000;
const largestBackgroundSide = 4000;

export class SocialImages {
  readonly #drawings = new Map<string, string>();
  readonly #paths = new Map<string, string>();
  readonly #common: Omit<SocialImage, 'label' | 'above'>;

  constructor({ settings, root }: Pick<Site, 'settings' | 'root'>, links: LinkResolver) {
    const { appearance, background } = settings.machineReaders.socialImage;
    const target = background === undefined ? undefined : links.resolveFile(background, 'docs.json');
    this.#common = {
      siteName: settings.name,
      color: sixDigits(settings.colors.primary),
      appearance,
      background: target?.kind === 'file' ? dataAddress(join(root, target.file)) : undefined,
    };
  }

  /** The path of the picture for a part of the site; it will be among the files. */
  pathFor(section: SocialSection): string {
    const key = JSON.stringify([section.label, section.above]);
    const known = this.#paths.get(key);
    if (known !== undefined) return known;
    const isOneTooMany = this.#drawings.size >= mostImages && key !== siteKey;
    const path = isOneTooMany ? this.pathFor(wholeSite) : this.#draw(section);
    this.#paths.set(key, path);
    return path;
  }

  #draw(section: SocialSection): string {
    const svg = socialImageSvg({ ...this.#common, ...section });
    const hash = createHash('sha256').update(svg).digest('hex').slice(0, 16);
    const path = `_docyard/social/${hash}.png`;
    this.#drawings.set(path, svg);
    return path;
  }

  async *files(signal?: AbortSignal): AsyncGenerator<{ path: string; content: Uint8Array }> {
    if (this.#drawings.size === 0) return;
    const { renderAsync } = await import('@resvg/resvg-js');
    const drawings = [...this.#drawings].toSorted(([a], [b]) => (a < b ? -1 : 1));
    for (const [path, svg] of drawings) {
      signal?.throwIfAborted();
      const image = await renderAsync(svg, { font: fonts(), logLevel: 'off' });
      yield { path, content: image.asPng() };
    }
  }
}

export function socialImageFiles({
  socialImages,
  signal,
}: OutputContext): AsyncGenerator<{ path: string; content: Uint8Array }> {
  return socialImages.files(signal);
}

const wholeSite: SocialSection = { label: '', above: '' };
const siteKey = JSON.stringify([wholeSite.label, wholeSite.above]);

/** Only these: with the fonts of the machine the same site would give other bytes elsewhere. */
function fonts(): { loadSystemFonts: false; fontFiles: string[]; defaultFontFamily: string } {
  const folder = dirname(createRequire(import.meta.url).resolve('@expo-google-fonts/inter/package.json'));
  const files = ['500Medium', '600SemiBold', '700Bold'].map((name) =>
    join(folder, name, `Inter_${name}.ttf`),
  );
  return { loadSystemFonts: false, fontFiles: files, defaultFontFamily: 'Inter' };
}

/** A picture of the site as text. Drawings are refused, since they may refer to files; so are pictures that unpack to much. */
function dataAddress(file: string): string | undefined {
  const type = { '.png': 'png', '.jpg': 'jpeg', '.jpeg': 'jpeg' }[extname(file).toLowerCase()];
  const size = type && pictureSize(file);
  if (!size || Math.max(size.width, size.height) > largestBackgroundSide) return undefined;
  try {
    const bytes = readFileSync(file);
    if (bytes.length > largestBackgroundBytes) return undefined;
    return `data:image/${type};base64,${bytes.toString('base64')}`;
  } catch {
    return undefined;
  }
}

function sixDigits(color: string): string {
  const short = /^#([\da-f])([\da-f])([\da-f])$/i.exec(color);
  return short
    ? `#${short
        .slice(1)
        .map((digit) => digit + digit)
        .join('')}`
    : color;
}

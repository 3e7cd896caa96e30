/** Draws social images, one per navigation section in use: an image per page would dominate the bundle size. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import type * as Resvg from '@resvg/resvg-js';
import { pictureSize } from '../assets/picture-size.ts';
import type { NavigationMap } from '../navigation/branches.ts';
import type { LinkResolver } from '../navigation/links.ts';
import type { OutputContext, OutputItem } from './contract.ts';
import { type SocialImage, socialImageSvg } from '../theme/social-image-svg.ts';
import type { Site } from '../site/site.ts';

const require = createRequire(import.meta.url);

/** A group and its division; empty for the site as a whole. */
interface SocialSection {
  label: string;
  above: string;
}

/** Further sections share one image. */
const maxImages = 100;
/** Lower, because a background image makes each file much larger. */
const maxWithBackground = 20;
const maxBackgroundBytes = 3_000_000;
const maxBackgroundSide = 4000;

type SocialSite = Pick<Site, 'settings' | 'root' | 'navigation'>;

export class SocialImages {
  readonly #common: Omit<SocialImage, 'label' | 'above'>;
  readonly #backgroundHash: string | undefined;
  readonly #navigation: NavigationMap;
  /** Sections with their own image; independent of the order of pages. */
  readonly #ownSections: ReadonlySet<string>;
  readonly #used = new Map<string, SocialSection>();
  readonly #paths = new Map<string, string>();

  constructor({ settings, root, navigation }: SocialSite, links: LinkResolver) {
    const { appearance, background } = settings.machineReaders.socialImage;
    const target = background === undefined ? undefined : links.resolveFile(background, 'docs.json');
    this.#common = {
      siteName: settings.name,
      color: sixDigits(settings.colors.primary),
      appearance,
      background: target?.kind === 'file' ? dataAddress(join(root, target.file)) : undefined,
    };
    this.#backgroundHash = this.#common.background && hashOf(this.#common.background);
    this.#navigation = navigation;
    const keys = new Set(navigation.order.map((route) => keyOf(sectionOf(navigation, route))));
    const limit = this.#backgroundHash === undefined ? maxImages : maxWithBackground;
    this.#ownSections = new Set([...keys].slice(0, limit));
  }

  forPage(route: string): { path: string; label: string } {
    const section = sectionOf(this.#navigation, route);
    const shown = this.#ownSections.has(keyOf(section)) ? section : wholeSite;
    const path = this.#paths.get(keyOf(shown)) ?? this.#pathOf(shown);
    this.#paths.set(keyOf(shown), path);
    this.#used.set(path, shown);
    return { path, label: shown.label };
  }

  /** The name contains a hash of the image's inputs, so that a changed image gets a new URL. */
  #pathOf(section: SocialSection): string {
    const drawing = socialImageSvg({ ...this.#common, ...section, background: this.#backgroundHash });
    return `_docyard/social/${hashOf(drawing)}.png`;
  }

  async *files({ signal, cache }: Pick<OutputContext, 'signal' | 'cache'>): AsyncGenerator<OutputItem> {
    const missing: [path: string, section: SocialSection][] = [];
    for (const [path, section] of this.#used) {
      const cached = cache?.get(path);
      if (cached) yield { path, content: cached };
      else missing.push([path, section]);
    }
    if (missing.length === 0) return;
    const { renderAsync } = require('@resvg/resvg-js') as typeof Resvg;
    const font = fonts();
    const draw = (section: SocialSection): ReturnType<typeof renderAsync> => {
      const image = renderAsync(socialImageSvg({ ...this.#common, ...section }), { font, logLevel: 'off' });
      // Prevents an unhandled rejection when the caller stops early.
      image.catch(() => undefined);
      return image;
    };
    const sections = missing.toSorted(([a], [b]) => (a < b ? -1 : 1));
    const [first] = sections;
    let drawing = first && draw(first[1]);
    for (const [index, [path]] of sections.entries()) {
      signal?.throwIfAborted();
      const image = await drawing;
      // Draws the next image in another thread while the caller handles this one.
      const next = sections[index + 1];
      drawing = next && draw(next[1]);
      if (!image) continue;
      const content = image.asPng();
      cache?.put(path, content);
      yield { path, content };
    }
  }
}

export function socialImageFiles(context: OutputContext): AsyncGenerator<OutputItem> {
  return context.socialImages.files(context);
}

const wholeSite: SocialSection = { label: '', above: '' };

/** The outermost group with its division, or the division alone. */
function sectionOf(navigation: NavigationMap, route: string): SocialSection {
  const place = navigation.places.get(route);
  const step = place?.branch.steps.findLast(
    ({ switcher }) => switcher.kind !== 'language' && switcher.kind !== 'version',
  );
  const labels = [place?.trail[0], step?.division.label].filter((label) => label !== undefined);
  const [label = '', above = ''] = route === 'index' ? [] : labels;
  return { label, above };
}

function keyOf({ label, above }: SocialSection): string {
  return JSON.stringify([label, above]);
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** System fonts would make the output depend on the machine. */
function fonts(): { loadSystemFonts: false; fontFiles: string[]; defaultFontFamily: string } {
  const folder = dirname(require.resolve('@expo-google-fonts/inter/package.json'));
  const files = ['500Medium', '600SemiBold', '700Bold'].map((name) =>
    join(folder, name, `Inter_${name}.ttf`),
  );
  return { loadSystemFonts: false, fontFiles: files, defaultFontFamily: 'Inter' };
}

/** SVG is rejected because it can reference files; large images are rejected because of their decoded size. */
function dataAddress(file: string): string | undefined {
  const type = { '.png': 'png', '.jpg': 'jpeg', '.jpeg': 'jpeg' }[extname(file).toLowerCase()];
  const size = type && pictureSize(file);
  if (!size || Math.max(size.width, size.height) > maxBackgroundSide) return undefined;
  try {
    const bytes = readFileSync(file);
    if (bytes.length > maxBackgroundBytes) return undefined;
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

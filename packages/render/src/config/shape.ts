/** The expected shape of `docs.json`, and a check that reports unknown keys and values of the wrong type. */
import type { DiagnosticCode } from '../model/finding-codes.ts';
import { type Node, findNodeAtLocation, parseTree } from 'jsonc-parser';
import { type Diagnostic, type SourcePlace, placeAt } from '../model/diagnostic.ts';
import { asObject } from './json.ts';
import type { ConfigSource } from './read.ts';

type Shape =
  | 'any'
  | 'text'
  | 'flag'
  | 'color'
  | 'object'
  | { list: Shape }
  | { keys: Record<string, Shape> }
  | { either: Shape[] };

const appearances: Shape = { either: ['text', { keys: { light: 'text', dark: 'text', href: 'text' } }] };
const colorPair: Shape = { keys: { light: 'color', dark: 'color' } };
const fontKeys: Record<string, Shape> = { family: 'text', weight: 'any', source: 'text', format: 'text' };
const link: Shape = {
  keys: {
    label: 'text',
    name: 'text',
    href: 'text',
    url: 'text',
    icon: 'any',
    iconType: 'text',
    type: 'text',
  },
};
const navbar: Shape = { keys: { links: { list: link }, primary: link } };
const footer: Shape = {
  keys: {
    socials: 'any',
    links: {
      list: { keys: { header: 'text', title: 'text', items: { list: link }, links: { list: link } } },
    },
  },
};
const banner: Shape = {
  keys: { content: 'text', dismissible: 'flag', type: 'text', color: { either: ['color', colorPair] } },
};

const topLevel: Record<string, Shape> = {
  $schema: 'text',
  $ref: 'text',
  theme: 'text',
  name: 'text',
  description: 'text',
  public: 'flag',
  colors: { keys: { primary: 'color', light: 'color', dark: 'color' } },
  logo: appearances,
  favicon: appearances,
  appearance: { keys: { default: 'text', strict: 'flag' } },
  background: { keys: { decoration: 'text', color: colorPair, image: appearances } },
  fonts: { keys: { ...fontKeys, heading: { keys: fontKeys }, body: { keys: fontKeys } } },
  icons: { keys: { library: 'text' } },
  styling: { keys: { eyebrows: 'text', latex: 'flag', codeblocks: 'any', css: 'any' } },
  thumbnails: 'object',
  navbar,
  navigation: { either: ['object', { list: 'any' }] },
  footer,
  banner,
  interaction: { keys: { drilldown: 'flag' } },
  contextual: { keys: { options: { list: 'any' }, display: 'text' } },
  redirects: { list: { keys: { source: 'text', destination: 'text', permanent: 'flag' } } },
  variables: 'object',
  metadata: { keys: { timestamp: 'flag' } },
  errors: { keys: { '404': { keys: { redirect: 'flag', title: 'text', description: 'text' } } } },
  api: 'object',
  seo: {
    keys: {
      indexing: 'text',
      indexHiddenPages: 'flag',
      metatags: 'object',
      paths: { list: 'any' },
      organization: 'object',
      trailingSlash: 'flag',
    },
  },
  search: { keys: { prompt: 'text', answers: 'flag' } },
  markdown: 'object',
  integrations: 'object',
  analytics: 'object',
  feedback: { keys: { suggestEdit: 'flag', raiseIssue: 'flag', thumbsRating: 'flag' } },
  access: { keys: { audiences: { list: { list: 'text' } } } },
  variations: 'object',
  chat: 'any',
};

/** Keys of the older format, with their current location. */
const movedKeys: Record<string, string> = {
  topbarLinks: 'navbar.links',
  topbarCtaButton: 'navbar.primary',
  topbar: 'navbar',
  footerSocials: 'footer.socials',
  modeToggle: 'appearance',
  anchors: 'navigation.global.anchors',
  tabs: 'navigation.tabs',
  versions: 'navigation.versions',
  topAnchor: 'navigation.anchors',
  primaryTab: 'navigation.tabs',
  font: 'fonts',
  backgroundImage: 'background.image',
  eyebrow: 'styling.eyebrows',
  codeBlock: 'styling.codeblocks',
  openapi: 'api.openapi',
};

/** Finding the position of each key scans the whole text. */
const maxFindings = 500;

export function shapeFindings(source: ConfigSource): Diagnostic[] {
  if (source.file !== 'docs.json') return [];
  const place = placeFinder(source.text);
  const findings: Diagnostic[] = [];
  const add = (code: DiagnosticCode, message: string, path: string[], hint?: string): void => {
    if (findings.length >= maxFindings) return;
    findings.push({
      severity: 'warning',
      code,
      message,
      file: 'docs.json',
      ...place(path),
      ...(hint ? { hint } : {}),
    });
  };
  const walk = (value: unknown, shape: Shape, path: string[]): void => {
    const problem = mismatch(value, shape);
    if (problem) {
      const code = problem.includes('colour') ? 'config_color' : 'config_type';
      const shown = typeof value === 'string' ? ` "${value.slice(0, 60)}"` : '';
      add(code, `${path.join('.')}${shown} ${problem} and is ignored`, path);
      return;
    }
    const fitting =
      typeof shape === 'object' && 'either' in shape
        ? shape.either.find((one) => !mismatch(value, one))
        : shape;
    if (fitting === undefined || typeof fitting === 'string') return;
    if ('list' in fitting)
      (value as unknown[]).forEach((item, index) => walk(item, fitting.list, [...path, String(index)]));
    if (!('keys' in fitting)) return;
    for (const [key, inner] of Object.entries(asObject(value) ?? {})) {
      const known = Object.hasOwn(fitting.keys, key) ? fitting.keys[key] : undefined;
      if (known !== undefined) walk(inner, known, [...path, key]);
      else add(...unknownKey(key, Object.keys(fitting.keys), path));
    }
  };
  walk(source.config, { keys: topLevel }, []);
  return findings;
}

function unknownKey(
  key: string,
  known: string[],
  path: string[],
): [DiagnosticCode, string, string[], string | undefined] {
  const full = [...path, key];
  const moved = path.length === 0 && Object.hasOwn(movedKeys, key) ? movedKeys[key] : undefined;
  const near = moved ?? nearestName(key, known);
  const hint = near && `Did you mean "${moved ?? [...path, near].join('.')}"?`;
  return ['config_unknown_key', `"${full.join('.')}" is not a known setting and is ignored`, full, hint];
}

/** Completes a sentence; undefined when the value fits. Null counts as absent. */
function mismatch(value: unknown, shape: Shape): string | undefined {
  if (value === null || value === undefined || shape === 'any') return undefined;
  if (shape === 'text')
    return typeof value === 'string' || typeof value === 'number' ? undefined : 'must be text';
  if (shape === 'flag') return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (shape === 'color') return isColor(value) ? undefined : 'is not a 3 or 6 digit hex colour';
  if (shape === 'object') return asObject(value) ? undefined : 'must be an object';
  if ('either' in shape) {
    const problems = shape.either.map((one) => mismatch(value, one));
    return problems.includes(undefined) ? undefined : problems.join(', or ');
  }
  if ('list' in shape) return Array.isArray(value) ? undefined : 'must be a list';
  return asObject(value) ? undefined : 'must be an object';
}

export function isColor(value: unknown): value is string {
  return typeof value === 'string' && /^#(?:[0-9a-f]{3}|[0-9a-f]{6})$/i.test(value.trim());
}

/**
 * Finds the position of a value. A value from a `$ref` file gets the position of the nearest enclosing value in
 * this text.
 */
export function placeFinder(text: string): (path: readonly string[]) => Partial<SourcePlace> {
  let tree: Node | undefined;
  return (path) => {
    tree ??= parseTree(text.replace(/^\uFEFF/, ' '), [], { allowTrailingComma: true });
    if (!tree) return {};
    for (let length = path.length; length > 0; length--) {
      const keys = path
        .slice(0, length)
        .map((key) => (/^\d+$/.test(key) && !isKeyOfObject(key, path) ? Number(key) : key));
      const found = findNodeAtLocation(tree, keys);
      if (found) return placeAt(text, found.parent?.type === 'property' ? found.parent.offset : found.offset);
    }
    return {};
  };
}

function isKeyOfObject(key: string, path: readonly string[]): boolean {
  return key === '404' && path[0] === 'errors';
}

export function nearestName(name: string, known: readonly string[]): string | undefined {
  const limit = name.length <= 4 ? 1 : 2;
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance <= limit && (best === undefined || distance < best.distance))
      best = { name: candidate, distance };
  }
  return best?.name;
}

function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2) return 3;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + Number(a[i - 1] !== b[j - 1]);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 3;
}

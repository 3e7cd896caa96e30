/** The fonts of the theme, Inter for text and JetBrains Mono for code, from packages with the files of each writing system. */
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { coversAny } from '../assets/font-letters.ts';
import { contentPath } from '../assets/remote-fonts.ts';
import { type FontFace, type FontFile, fontFolder } from '../model/font-face.ts';

export interface BundledFont {
  family: string;
  /** Custom property with the fonts of the reader's system. */
  system: 'system-sans' | 'system-mono';
  faces: readonly FontFace[];
  files: readonly FontFile[];
  /** Faces of system fonts with the size of the family, so that the text keeps its place when the font arrives. */
  fallback: string;
  license: string;
}

const require = createRequire(import.meta.url);

/** The second one is Arial on Linux. */
const arial = ['Arial', 'Liberation Sans'];
const arialBold = ['Arial Bold', 'Liberation Sans Bold'];

const families = {
  sans: {
    family: 'Inter',
    name: 'inter',
    folder: (): string => dirname(require.resolve('@fontsource-variable/inter/package.json')),
    weight: '100 900',
    system: 'system-sans',
    /** The last installed one counts. Equal weights make browsers try all of them. */
    substitutes: [
      { local: ['Roboto'], weight: '100 549', size: 107.3, ascent: 90.3, descent: 22.5 },
      { local: arial, weight: '100 549', size: 107, ascent: 90.5, descent: 22.5 },
      { local: ['Roboto Bold', 'Roboto'], weight: '550 900', size: 108.2, ascent: 89.5, descent: 22.3 },
      { local: arialBold, weight: '550 900', size: 101.6, ascent: 95.4, descent: 23.7 },
    ],
  },
  mono: {
    family: 'JetBrains Mono',
    name: 'jetbrains-mono',
    folder: (): string => dirname(require.resolve('@fontsource-variable/jetbrains-mono/package.json')),
    weight: '100 800',
    system: 'system-mono',
    /** Other monospaced fonts of systems have the width of JetBrains Mono. */
    substitutes: [{ local: ['Consolas'], weight: '100 800', size: 109.1, ascent: 93.5, descent: 27.5 }],
  },
} as const;

export type BundledName = keyof typeof families;

const read = new Map<string, BundledFont>();

/** The files with one of the letters. */
export function bundledFont(name: BundledName, letters: readonly string[]): BundledFont {
  const key = `${name} ${letters.join('')}`;
  const font = read.get(key) ?? readFont(name, letters);
  read.set(key, font);
  return font;
}

/** The bundled font of this family, if any. */
export function bundledName(family: string): BundledName | undefined {
  return (['sans', 'mono'] as const).find(
    (name) => families[name].family.toLowerCase() === family.toLowerCase(),
  );
}

function readFont(key: BundledName, letters: readonly string[]): BundledFont {
  const { family, name, weight, system } = families[key];
  const folder = families[key].folder();
  const ranges = JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8')) as Record<string, string>;
  const parts = Object.entries(ranges).flatMap(([script, unicodeRange]) => {
    const source = join(folder, 'files', `${name}-${script}-wght-normal.woff2`);
    if (!coversAny(unicodeRange, letters) || !existsSync(source)) return [];
    const content = new Uint8Array(readFileSync(source));
    const file = contentPath(content, 'woff2');
    return [{ face: { family, file, weight, unicodeRange }, file: { path: file, content } }];
  });
  return {
    family,
    system,
    faces: parts.map(({ face }) => face),
    files: parts.map(({ file }) => file),
    fallback: fallbackFaces(key, ranges['latin'] ?? ''),
    license: readFileSync(join(folder, 'LICENSE'), 'utf8'),
  };
}

/** Only Latin letters: a system font may have others that Inter lacks, in sizes that need no adjustment. */
function fallbackFaces(key: BundledName, latinRange: string): string {
  const { family, substitutes } = families[key];
  return substitutes
    .map(
      ({ local, weight, size, ascent, descent }) =>
        `@font-face { font-family: '${family} Fallback'; src: ${local.map((name) => `local('${name}')`).join(', ')}; ` +
        `font-weight: ${weight}; size-adjust: ${size}%; ascent-override: ${ascent}%; descent-override: ${descent}%; ` +
        `line-gap-override: 0%; unicode-range: ${latinRange}; }`,
    )
    .join('\n');
}

/** The families, in the order of a `font-family`. */
export function stackOf({ family, system }: BundledFont): string {
  return `'${family}', '${family} Fallback', var(--dy-${system})`;
}

export function bundledFontFiles(fonts: readonly BundledFont[]): FontFile[] {
  if (fonts.length === 0) return [];
  const licenses = fonts.map(({ family, license }) => `${family}\n\n${license.trim()}\n`);
  return [
    ...fonts.flatMap(({ files }) => files),
    { path: `${fontFolder}/LICENSE.txt`, content: new TextEncoder().encode(licenses.join('\n\n')) },
  ];
}

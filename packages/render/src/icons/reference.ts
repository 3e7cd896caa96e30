/**
 * Normalizes icon references (a name, a class list such as `fa-solid fa-rocket`, an object, or a name and a
 * style) to `[library:][style:]name`.
 */
import type { IconLibrary } from '../model/site-plan.ts';
const iconLibraries: readonly IconLibrary[] = ['fontawesome', 'lucide', 'tabler'];
export interface IconReference {
  name: string;
  style?: string;
  library?: IconLibrary;
}

export function readIconLibrary(value: unknown): IconLibrary {
  return typeof value === 'string' && isLibrary(value) ? value : 'fontawesome';
}

const styles = new Set(
  (
    'solid regular brands light thin duotone sharp-solid sharp-regular sharp-light sharp-thin sharp-duotone-solid ' +
    'sharp-duotone-regular sharp-duotone-light sharp-duotone-thin'
  ).split(' '),
);
/** Class names of Font Awesome 5 and earlier. */
const styleClasses: Record<string, string> = {
  fa: 'solid',
  fas: 'solid',
  far: 'regular',
  fab: 'brands',
  fal: 'light',
  fat: 'thin',
  fad: 'duotone',
  fass: 'sharp-solid',
};

export function iconText(value: unknown, style?: unknown): string | undefined {
  const parts = isNamed(value) ? value : { name: value, style };
  if (typeof parts.name !== 'string' || parts.name.trim() === '') return undefined;
  const name = parts.name.trim();
  if (isIconAddress(name)) return name;
  const wanted = typeof parts.style === 'string' ? parts.style : style;
  const library = typeof parts.library === 'string' && isLibrary(parts.library) ? [parts.library] : [];
  const known = typeof wanted === 'string' && styles.has(wanted.toLowerCase()) ? [wanted.toLowerCase()] : [];
  return [...library, ...known, name].join(':');
}

export function isIconAddress(text: string): boolean {
  return (
    /^(?:https?:)?\/\/|^\.{0,2}\/|^data:/i.test(text) || /\.(?:svg|png|jpe?g|gif|webp|avif|ico)$/i.test(text)
  );
}

export function readIconText(text: string): IconReference {
  const parts = text.trim().split(':');
  const name = parts.pop() ?? '';
  const reference: IconReference = fromClasses(name);
  for (const part of parts) {
    const word = part.toLowerCase();
    if (isLibrary(word)) reference.library = word;
    else if (styles.has(word)) reference.style ??= word;
  }
  return reference;
}

function fromClasses(text: string): IconReference {
  let style: string | undefined;
  const names = text
    .toLowerCase()
    .split(/\s+/)
    .flatMap((word) => {
      const bare = word.replace(/^fa-/, '');
      const known = Object.hasOwn(styleClasses, word) ? styleClasses[word] : undefined;
      if (known === undefined && (bare === word || !styles.has(bare))) return [bare];
      style = known ?? bare;
      return [];
    });
  const name = names.join('-').replaceAll('_', '-');
  return style === undefined ? { name } : { name, style };
}

function isLibrary(text: string): text is IconLibrary {
  return (iconLibraries as readonly string[]).includes(text);
}

function isNamed(value: unknown): value is { name?: unknown; style?: unknown; library?: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Authors lay out landing pages with utility classes. The site's stylesheet gets a rule for each one that its pages use,
 * and for no other; a class that is not a utility is left to the author's own stylesheet.
 */
import { type Utility, utilityOf } from './declarations.ts';

const breakpoints: Record<string, number> = { sm: 640, md: 768, lg: 1024, xl: 1280, '2xl': 1536 };
const states: Record<string, string> = {
  hover: ':hover',
  focus: ':focus',
  'focus-visible': ':focus-visible',
  active: ':active',
  first: ':first-child',
  last: ':last-child',
  odd: ':nth-child(odd)',
  even: ':nth-child(even)',
};

interface Rule {
  order: [number, number, string];
  css: string;
}

export function utilityStylesheet(classes: Iterable<string>): string {
  return [...new Set(classes)]
    .flatMap((name) => ruleOf(name) ?? [])
    .toSorted(compareRules)
    .map(({ css }) => `${css}\n`)
    .join('');
}

function compareRules({ order: a }: Rule, { order: b }: Rule): number {
  return a[0] - b[0] || a[1] - b[1] || (a[2] < b[2] ? -1 : 1);
}

function ruleOf(name: string): Rule | undefined {
  const parts = name.split(/:(?![^[]*\])/);
  const last = parts.pop() ?? '';
  const isImportant = last.startsWith('!') || last.endsWith('!');
  const base = last.replace(/^!|!$/, '');
  const utility = spaceBetween(base) ?? utilityOf(base);
  if (!utility) return undefined;
  const scope = scopeOf(parts);
  if (!scope) return undefined;
  const body = isImportant
    ? utility.declarations
        .split('; ')
        .map((one) => `${one} !important`)
        .join('; ')
    : utility.declarations;
  const selector = `${scope.before}.${escapeName(name)}${scope.after}${utility.inner ?? ''}`;
  return { order: [scope.rank, utility.rank, name], css: scope.wrap(selector, body) };
}

/** `space-y-4` and `divide-y` are about what stands between children. */
function spaceBetween(name: string): Utility | undefined {
  const inner = ' > * + *';
  const [, axis, size = ''] = /^space-([xy])-(.+)$/.exec(name) ?? [];
  const margin = axis && utilityOf(`${axis === 'y' ? 'mt' : 'ml'}-${size}`);
  if (margin) return { ...margin, inner };
  const line = /^divide-([xy])$/.exec(name)?.[1];
  if (!line) return undefined;
  const edge = line === 'y' ? 'top' : 'left';
  return { rank: 0, declarations: `border-${edge}: 1px solid var(--divide, var(--line))`, inner };
}

interface Scope {
  rank: number;
  before: string;
  after: string;
  wrap: (selector: string, body: string) => string;
}

const dark = ":root[data-theme='dark'] ";
const systemDark = ':root:not([data-theme]) ';

/** What the words before the last colon mean; undefined when one of them is unknown. */
function scopeOf(variants: readonly string[]): Scope | undefined {
  let rank = 0;
  let isDark = false;
  let group = '';
  let after = '';
  const media: string[] = [];
  for (const variant of variants) {
    const width = breakpoints[variant.replace(/^max-/, '')];
    const state = states[variant.replace(/^group-/, '')];
    if (variant === 'dark') isDark = true;
    else if (width !== undefined && Object.hasOwn(breakpoints, variant.replace(/^max-/, ''))) {
      const upTo = variant.startsWith('max-');
      media.push(upTo ? `(max-width: ${width - 0.02}px)` : `(min-width: ${width}px)`);
      rank += upTo ? 10_000 - width : width;
    } else if (state !== undefined && variant.startsWith('group-')) group = `.group${state} `;
    else if (state !== undefined) after += state;
    else if (variant === 'motion-safe') media.push('(prefers-reduced-motion: no-preference)');
    else return undefined;
  }
  if (group || after) rank += 0.5;
  const inMedia = (css: string, extra: readonly string[] = []): string => {
    const all = [...media, ...extra];
    return all.length ? `@media ${all.join(' and ')} { ${css} }` : css;
  };
  if (!isDark)
    return {
      rank,
      before: `:root ${group}`,
      after,
      wrap: (selector, body) => inMedia(`${selector} { ${body} }`),
    };
  return {
    rank: rank + 20_000,
    before: group,
    after,
    wrap: (selector, body) =>
      `${inMedia(`${dark}${selector} { ${body} }`)}\n` +
      inMedia(`${systemDark}${selector} { ${body} }`, ['(prefers-color-scheme: dark)']),
  };
}

function escapeName(name: string): string {
  return name.replaceAll(/[^\w-]/g, String.raw`\$&`).replace(/^\d/, (digit) => `\\3${digit} `);
}

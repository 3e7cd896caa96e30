/**
 * What one utility class declares, without its variants: `mt-4`, `grid-cols-2`, `text-zinc-500`. The order of the list
 * is the order in the stylesheet, so that a side wins over all sides.
 */
import { utilityColor } from './palette.ts';
import {
  alignments,
  corners,
  directions,
  flexes,
  heights,
  keywords,
  margins,
  radii,
  shadows,
  sides,
  sizes,
  textSizes,
  weights,
  widths,
} from './values.ts';

type Match = (name: string, negative: string) => string | undefined;

export interface Utility {
  rank: number;
  declarations: string;
  /** Selects from the element to what the declarations are for, when that is not the element. */
  inner?: string;
}

export function utilityOf(name: string): Utility | undefined {
  const [negative, positive] = /^-[a-z]/.test(name) ? ['-', name.slice(1)] : ['', name];
  for (const [rank, match] of matchers.entries()) {
    const declarations = match(positive, negative);
    if (declarations !== undefined) return { rank, declarations };
  }
  return undefined;
}

/** A step of the scale (a quarter of a rem), a fraction, a word, or a value of the author's own. */
function length(text: string, words: Record<string, string> = {}): string | undefined {
  if (Object.hasOwn(words, text)) return words[text];
  if (/^\d+(?:\.5)?$/.test(text)) return text === '0' ? '0px' : `${Number(text) / 4}rem`;
  if (text === 'px') return '1px';
  const fraction = /^(\d+)\/(\d+)$/.exec(text);
  if (fraction) return `${Number(((Number(fraction[1]) / Number(fraction[2])) * 100).toFixed(6))}%`;
  return own(text);
}

function own(text: string): string | undefined {
  const value = /^\[([\w.%#(),/+*-]+)\]$/.exec(text)?.[1];
  return value === undefined || /url|expression|image|attr\(/i.test(value)
    ? undefined
    : value.replaceAll('_', ' ');
}

function scale(prefix: string, properties: string[], words: Record<string, string> = {}): Match {
  return (name, negative) => {
    if (!name.startsWith(`${prefix}-`)) return undefined;
    const value = length(name.slice(prefix.length + 1), words);
    if (value === undefined) return undefined;
    const signed = negative && value !== 'auto' ? `calc(${value} * -1)` : value;
    return properties.map((property) => `${property}: ${signed}`).join('; ');
  };
}

function color(prefix: string, property: string): Match {
  return (name) => {
    if (!name.startsWith(`${prefix}-`)) return undefined;
    const value = utilityColor(name.slice(prefix.length + 1));
    return value && `${property}: ${value}`;
  };
}

function table(entries: Record<string, string>): Match {
  return (name) => (Object.hasOwn(entries, name) ? entries[name] : undefined);
}

function pattern(expression: RegExp, declare: (...parts: string[]) => string | undefined): Match {
  return (name) => {
    const match = expression.exec(name);
    return match ? declare(...match.slice(1)) : undefined;
  };
}

const matchers: Match[] = [
  table(keywords),
  scale('inset', ['inset']),
  scale('inset-x', ['left', 'right']),
  scale('inset-y', ['top', 'bottom']),
  ...['top', 'right', 'bottom', 'left'].map((side) => scale(side, [side], sizes)),
  scale('m', ['margin'], margins),
  scale('mx', ['margin-left', 'margin-right'], margins),
  scale('my', ['margin-top', 'margin-bottom'], margins),
  ...Object.entries({
    mt: 'top',
    mr: 'right',
    mb: 'bottom',
    ml: 'left',
    ms: 'inline-start',
    me: 'inline-end',
  }).map(([prefix, side]) => scale(prefix, [`margin-${side}`], margins)),
  scale('p', ['padding']),
  scale('px', ['padding-left', 'padding-right']),
  scale('py', ['padding-top', 'padding-bottom']),
  ...Object.entries({
    pt: 'top',
    pr: 'right',
    pb: 'bottom',
    pl: 'left',
    ps: 'inline-start',
    pe: 'inline-end',
  }).map(([prefix, side]) => scale(prefix, [`padding-${side}`])),
  scale('size', ['width', 'height'], sizes),
  scale('w', ['width'], { ...sizes, screen: '100vw' }),
  scale('h', ['height'], heights),
  scale('min-w', ['min-width'], widths),
  scale('max-w', ['max-width'], widths),
  scale('min-h', ['min-height'], heights),
  scale('max-h', ['max-height'], heights),
  scale('gap', ['gap']),
  scale('gap-x', ['column-gap']),
  scale('gap-y', ['row-gap']),
  scale('basis', ['flex-basis'], sizes),
  pattern(/^flex-(1|auto|initial|none)$/, (word = '') => `flex: ${flexes[word]}`),
  pattern(/^items-(\w+)$/, (word = '') => aligned('align-items', word)),
  pattern(/^justify-(\w+)$/, (word = '') => aligned('justify-content', word)),
  pattern(/^content-(\w+)$/, (word = '') => aligned('align-content', word)),
  pattern(/^self-(\w+)$/, (word = '') =>
    word === 'auto' ? 'align-self: auto' : aligned('align-self', word),
  ),
  pattern(/^justify-items-(start|end|center|stretch)$/, (word) => `justify-items: ${word}`),
  pattern(/^place-items-(start|end|center|stretch)$/, (word) => `place-items: ${word}`),
  pattern(
    /^order-(\d+|first|last)$/,
    (word) => `order: ${word === 'first' ? -99 : word === 'last' ? 99 : word}`,
  ),
  pattern(/^grid-cols-(\d+)$/, (count) => `grid-template-columns: repeat(${count}, minmax(0, 1fr))`),
  pattern(/^grid-rows-(\d+)$/, (count) => `grid-template-rows: repeat(${count}, minmax(0, 1fr))`),
  pattern(/^grid-cols-(\[.+\])$/, (text = '') => prefixed('grid-template-columns: ', own(text))),
  pattern(/^col-span-(\d+)$/, (count) => `grid-column: span ${count} / span ${count}`),
  pattern(/^(col|row)-span-full$/, (axis) => `grid-${axis === 'col' ? 'column' : 'row'}: 1 / -1`),
  pattern(/^row-span-(\d+)$/, (count) => `grid-row: span ${count} / span ${count}`),
  pattern(/^columns-(\d+)$/, (count) => `columns: ${count}`),
  pattern(/^aspect-\[(\d+)\/(\d+)\]$/, (width, height) => `aspect-ratio: ${width} / ${height}`),
  pattern(
    /^overflow(-[xy])?-(hidden|auto|scroll|visible|clip)$/,
    (axis = '', word) => `overflow${axis}: ${word}`,
  ),
  pattern(/^object-(cover|contain|fill|none|scale-down)$/, (word) => `object-fit: ${word}`),
  pattern(/^object-(top|bottom|center|left|right)$/, (word) => `object-position: ${word}`),
  pattern(/^z-(\d+)$/, (level = '0') => `z-index: ${Math.min(Number(level), 50)}`),
  pattern(/^float-(left|right|none)$/, (word) => `float: ${word}`),
  pattern(/^align-(top|middle|bottom|baseline|text-top|text-bottom)$/, (word) => `vertical-align: ${word}`),
  pattern(/^text-(left|center|right|justify|start|end)$/, (word) => `text-align: ${word}`),
  pattern(/^text-(\w+)$/, (size = '') => prefixed('font-size: ', textSizes[size])),
  pattern(/^text-(\[\d[\w.]*\])$/, (text = '') => prefixed('font-size: ', own(text))),
  pattern(/^font-(\w+)$/, (word = '') => prefixed('font-weight: ', weights[word])),
  pattern(/^leading-(none|tight|snug|normal|relaxed|loose)$/, (word = '') =>
    prefixed(
      'line-height: ',
      { none: 1, tight: 1.25, snug: 1.375, normal: 1.5, relaxed: 1.625, loose: 2 }[word],
    ),
  ),
  scale('leading', ['line-height']),
  pattern(/^tracking-(tighter|tight|normal|wide|wider|widest)$/, (word = '') =>
    prefixed(
      'letter-spacing: ',
      {
        tighter: '-0.05em',
        tight: '-0.025em',
        normal: '0',
        wide: '0.025em',
        wider: '0.05em',
        widest: '0.1em',
      }[word],
    ),
  ),
  pattern(
    /^line-clamp-(\d)$/,
    (lines) =>
      `overflow: hidden; display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: ${lines}`,
  ),
  color('text', 'color'),
  color('bg', 'background-color'),
  pattern(/^bg-gradient-to-(\w+)$/, (way = '') =>
    prefixed(
      'background-image: linear-gradient(to ',
      directions[way] && `${directions[way]}, var(--from, transparent), var(--to, transparent))`,
    ),
  ),
  color('from', '--from'),
  color('to', '--to'),
  color('fill', 'fill'),
  color('stroke', 'stroke'),
  pattern(/^border(?:-([xytblr]))?(?:-(0|2|4|8))?$/, (side = '', width = '1') =>
    (sides[side] ?? []).map((edge) => `border${edge}: ${width}px solid var(--line)`).join('; '),
  ),
  color('border', 'border-color'),
  color('divide', '--divide'),
  color('decoration', 'text-decoration-color'),
  pattern(
    /^rounded(?:-([tblr]|tl|tr|bl|br))?(?:-(none|sm|md|lg|xl|2xl|3xl|full))?$/,
    (corner = '', size = '') =>
      (corners[corner] ?? []).map((edge) => `border-${edge}radius: ${radii[size]}`).join('; '),
  ),
  pattern(/^rounded-(\[.+\])$/, (text = '') => prefixed('border-radius: ', own(text))),
  pattern(/^shadow(?:-(\w+))?$/, (size = '') => prefixed('box-shadow: ', shadows[size])),
  pattern(/^ring(?:-(\d))?$/, (width = '3') => `box-shadow: 0 0 0 ${width}px var(--line-strong)`),
  pattern(/^opacity-(\d{1,3})$/, (share) => `opacity: ${Number(share) / 100}`),
  pattern(/^scale-(\d{1,3})$/, (share) => `scale: ${Number(share) / 100}`),
  pattern(/^rotate-(\d{1,3})$/, (angle) => `rotate: ${angle}deg`),
  (name, negative) => {
    const [, axis, size = ''] = /^translate-([xy])-(.+)$/.exec(name) ?? [];
    const value = axis && length(size, { full: '100%' });
    return value && `transform: translate${axis === 'x' ? 'X' : 'Y'}(${negative}${value})`;
  },
  pattern(/^duration-(\d+)$/, (time) => `transition-duration: ${time}ms`),
  pattern(/^blur(?:-(\w+))?$/, (size = '') =>
    prefixed(
      'filter: blur(',
      { '': '8px)', sm: '4px)', md: '12px)', lg: '16px)', xl: '24px)', none: '0)' }[size],
    ),
  ),
];

function aligned(property: string, word: string): string | undefined {
  return Object.hasOwn(alignments, word) ? `${property}: ${alignments[word]}` : undefined;
}

function prefixed(prefix: string, value: string | number | undefined): string | undefined {
  return value === undefined ? undefined : `${prefix}${value}`;
}

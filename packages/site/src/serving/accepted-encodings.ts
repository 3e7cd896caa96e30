/** Which form of a file a client wants, by its Accept-Encoding header. */
import { encodings, type Encoding } from './compressed-files.ts';

/** In the order of the client's wish; where it has none, the better one first. */
type Wish = readonly Encoding[];

/** Browsers send the same few texts for ever, so what each means is worked out once. */
const known = new Map<string, Wish>();
const maxKnown = 100;
const maxCharacters = 500;
const nothing: Wish = [];

export function acceptedEncodings(header: string | undefined): Wish {
  if (header === undefined || header.length > maxCharacters) return nothing;
  const before = known.get(header);
  if (before !== undefined) return before;
  const wish = wishOf(header);
  if (known.size >= maxKnown) known.clear();
  known.set(header, wish);
  return wish;
}

function wishOf(header: string): Wish {
  const weights = new Map(header.split(',').map(weighted));
  const others = weights.get('*') ?? 0;
  const weightOf = (name: string): number => weights.get(name) ?? others;
  /** The file as it is may always be sent; it is preferred only where that is said. */
  const plain = weights.get('identity') ?? 0;
  return encodings
    .filter((encoding) => weightOf(encoding) > 0 && weightOf(encoding) >= plain)
    .toSorted((a, b) => weightOf(b) - weightOf(a));
}

function weighted(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
  const [weight] = parameters.flatMap((text) => /^q\s*=\s*(\d(?:\.\d{0,3})?)$/.exec(text)?.[1] ?? []);
  return [name === 'x-gzip' ? 'gzip' : name, weight === undefined ? 1 : Number(weight)];
}

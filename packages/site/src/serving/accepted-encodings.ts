/** Parses the Accept-Encoding header. */
import { encodings, type Encoding } from './compressed-files.ts';

/** In the client's order of preference; on a tie the better compression first. */
type Preference = readonly Encoding[];

/** Cached, because browsers send few different headers. */
const known = new Map<string, Preference>();
const maxKnown = 100;
const maxCharacters = 500;
const noEncodings: Preference = [];

export function acceptedEncodings(header: string | undefined): Preference {
  if (header === undefined || header.length > maxCharacters) return noEncodings;
  const before = known.get(header);
  if (before !== undefined) return before;
  const preference = preferenceOf(header);
  if (known.size >= maxKnown) known.clear();
  known.set(header, preference);
  return preference;
}

function preferenceOf(header: string): Preference {
  const weights = new Map(header.split(',').map(weighted));
  const others = weights.get('*') ?? 0;
  const weightOf = (name: string): number => weights.get(name) ?? others;
  /** The plain file is always acceptable; it is preferred only if the client says so. */
  const plain = weights.get('identity') ?? 0;
  return encodings
    .filter((encoding) => weightOf(encoding) > 0 && weightOf(encoding) >= plain)
    .toSorted((a, b) => weightOf(b) - weightOf(a));
}

/** An entry of a header with a list of preferences. */
export function weighted(part: string): [name: string, weight: number] {
  const [name = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
  const [weight] = parameters.flatMap((text) => /^q\s*=\s*(\d(?:\.\d{0,3})?)$/.exec(text)?.[1] ?? []);
  return [name === 'x-gzip' ? 'gzip' : name, weight === undefined ? 1 : Number(weight)];
}

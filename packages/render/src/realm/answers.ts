/**
 * The host functions for code inside QuickJS: Intl formatting, URLs, text decoding. Security: the caller is
 * hostile, so all input is validated and bounded here.
 */
const maxQuestion = 50_000;
const maxFormatters = 200;

type Answer = (args: unknown[]) => unknown;

/** `question` is JSON. The message of a thrown error is passed to the calling code. */
export function answer(name: string, question: string): string {
  if (question.length > maxQuestion) throw new RangeError('This text is too long');
  const reply = answers.get(name);
  if (!reply) throw new TypeError('This is not available');
  return JSON.stringify(reply(JSON.parse(question) as unknown[]) ?? null);
}

const formatters = new Map<string, unknown>();

/** Cached, because creating a formatter is slow. */
function formatter<Kind>(
  kind: string,
  args: unknown[],
  make: (locales: string[], options: object) => Kind,
): Kind {
  const key = JSON.stringify([kind, args[0], args[1]]);
  const known = formatters.get(key);
  if (known !== undefined) return known as Kind;
  const made = make(localesOf(args[0]), optionsOf(args[1]));
  if (formatters.size >= maxFormatters) formatters.clear();
  formatters.set(key, made);
  return made;
}

/** The default locale is fixed, so that output does not depend on the machine. */
function localesOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : [value];
  return [...list.filter((item) => typeof item === 'string').slice(0, 10), 'en-US'];
}

function optionsOf(value: unknown): Record<string, string | number | boolean> {
  const options = Object.entries(typeof value === 'object' && value !== null ? value : {});
  const plain = options.filter(([, item]) => ['string', 'number', 'boolean'].includes(typeof item));
  return Object.assign(Object.create(null) as object, Object.fromEntries(plain.slice(0, 40)));
}

const numbers = (args: unknown[]): Intl.NumberFormat =>
  formatter('number', args, (locales, options) => new Intl.NumberFormat(locales, options));
const dates = (args: unknown[]): Intl.DateTimeFormat =>
  formatter(
    'date',
    args,
    (locales, options) => new Intl.DateTimeFormat(locales, { timeZone: 'UTC', ...options }),
  );
const plurals = (args: unknown[]): Intl.PluralRules =>
  formatter('plural', args, (locales, options) => new Intl.PluralRules(locales, options));
const lists = (args: unknown[]): Intl.ListFormat =>
  formatter('list', args, (locales, options) => new Intl.ListFormat(locales, options));
const relativeTimes = (args: unknown[]): Intl.RelativeTimeFormat =>
  formatter('relative', args, (locales, options) => new Intl.RelativeTimeFormat(locales, options));
const collators = (args: unknown[]): Intl.Collator =>
  formatter('collator', args, (locales, options) => new Intl.Collator(locales, options));

const answers = new Map<string, Answer>([
  ['NumberFormat.check', (args) => void numbers(args)],
  ['NumberFormat.format', (args) => numbers(args).format(numeric(args[2]))],
  ['NumberFormat.formatToParts', (args) => numbers(args).formatToParts(numeric(args[2]))],
  ['NumberFormat.resolvedOptions', (args) => numbers(args).resolvedOptions()],
  ['DateTimeFormat.check', (args) => void dates(args)],
  ['DateTimeFormat.format', (args) => dateText(dates(args), args[2])],
  ['DateTimeFormat.formatToParts', (args) => dates(args).formatToParts(timeOf(args[2]))],
  ['DateTimeFormat.resolvedOptions', (args) => dates(args).resolvedOptions()],
  ['PluralRules.check', (args) => void plurals(args)],
  ['PluralRules.select', (args) => plurals(args).select(Number(args[2]))],
  ['PluralRules.resolvedOptions', (args) => plurals(args).resolvedOptions()],
  ['ListFormat.check', (args) => void lists(args)],
  ['ListFormat.format', (args) => lists(args).format(textsOf(args[2]))],
  ['ListFormat.resolvedOptions', (args) => lists(args).resolvedOptions()],
  ['RelativeTimeFormat.check', (args) => void relativeTimes(args)],
  [
    'RelativeTimeFormat.format',
    (args) => relativeTimes(args).format(Number(args[2]), textOf(args[3]) as Intl.RelativeTimeFormatUnit),
  ],
  ['RelativeTimeFormat.resolvedOptions', (args) => relativeTimes(args).resolvedOptions()],
  ['Collator.check', (args) => void collators(args)],
  ['Collator.compare', (args) => collators(args).compare(textOf(args[2]), textOf(args[3]))],
  ['Collator.resolvedOptions', (args) => collators(args).resolvedOptions()],
  ['url.parse', ([text, base]) => parsedUrl(textOf(text), base === undefined ? undefined : textOf(base))],
  ['url.change', ([text, part, value]) => changedUrl(textOf(text), textOf(part), textOf(value))],
  ['query.parse', ([text]) => [...new URLSearchParams(textOf(text))]],
  ['query.text', ([pairs]) => new URLSearchParams(pairsOf(pairs)).toString()],
  ['text.decode', ([hex]) => new TextDecoder().decode(Buffer.from(textOf(hex), 'hex'))],
]);

function numeric(value: unknown): number | bigint {
  const text = textOf(value);
  return /^-?\d{16,1000}$/.test(text) ? BigInt(text) : Number(text);
}

function timeOf(value: unknown): number {
  if (typeof value !== 'number') throw new RangeError('Invalid time value');
  return value;
}

/** JSON has no NaN: the time of an invalid date arrives as null. */
function dateText(format: Intl.DateTimeFormat, value: unknown): string {
  return typeof value === 'number' ? format.format(value) : 'Invalid Date';
}

const urlParts = [
  'href',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
] as const;

function parsedUrl(text: string, base: string | undefined): Record<string, string> | null {
  const url = URL.parse(text, base);
  return url && partsOf(url);
}

function changedUrl(text: string, part: string, value: string): Record<string, string> {
  const url = new URL(text);
  const known = urlParts.find((name) => name === part);
  if (known) url[known] = value;
  return partsOf(url);
}

function partsOf(url: URL): Record<string, string> {
  return Object.fromEntries([...urlParts, 'origin' as const].map((name) => [name, url[name]]));
}

function textOf(value: unknown): string {
  if (typeof value !== 'string') throw new TypeError('This is not text');
  return value;
}

function textsOf(value: unknown): string[] {
  if (!Array.isArray(value)) throw new TypeError('This is not a list');
  return value.map(textOf);
}

function pairsOf(value: unknown): [string, string][] {
  if (!Array.isArray(value)) throw new TypeError('This is not a list');
  return value.map((pair) => {
    const [name, text] = textsOf(pair);
    return [name ?? '', text ?? ''];
  });
}

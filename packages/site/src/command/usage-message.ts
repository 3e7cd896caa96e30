/** The messages of commander about wrong arguments, in the words of the other messages. */

const rewrites: readonly (readonly [RegExp, (...parts: string[]) => string])[] = [
  [/^unknown (command|option) '([^']*)'$/, (kind, name) => `Unknown ${kind}: ${name}.`],
  [/^option '([^']*)' argument missing$/, (flags) => `${longFlag(flags)} needs a value.`],
  [/^required option '([^']*)' not specified$/, (flags) => `${longFlag(flags)} is required.`],
  [/^missing required argument '([^']*)'$/, (name) => `The argument <${name}> is missing.`],
  [
    /^option '([^']*)' argument '([^']*)' is invalid\. Allowed choices are ([^.]*)\.$/,
    (flags, value, choices) => `${longFlag(flags)} ${value}: must be ${alternatives(choices)}.`,
  ],
  [
    /^command-argument value '([^']*)' is invalid for argument '([^']*)'\. Allowed choices are ([^.]*)\.$/,
    (value, name, choices) => `<${name}> ${value}: must be ${alternatives(choices)}.`,
  ],
  [
    /^too many arguments[^.]*\. Expected (\d) arguments? but got \d+: (.*)$/,
    (expected, given) => unexpected(given.slice(0, -1).split(', ').slice(Number(expected))),
  ],
];

export function usageMessage(text: string): string {
  const [complaint = '', ...rest] = text
    .replace(/^error: /, '')
    .trim()
    .split('\n');
  const similar = rest.filter((line) => line.startsWith('(Did you mean')).map((line) => line.slice(1, -1));
  return [rewritten(complaint), ...similar].join(' ');
}

function rewritten(complaint: string): string {
  for (const [pattern, write] of rewrites) {
    const [, ...parts] = pattern.exec(complaint) ?? [undefined];
    if (parts.length > 0) return write(...(parts as string[]));
  }
  return complaint.endsWith('.') ? complaint : `${complaint}.`;
}

/** `--out` of `-o, --out <folder>`. */
function longFlag(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

function alternatives(choices: string): string {
  return choices.replace(/, ([^,]*)$/, ' or $1');
}

function unexpected(words: readonly string[]): string {
  return `Unexpected argument${words.length === 1 ? '' : 's'}: ${words.join(' ')}.`;
}

/** Mistakes that small models make in a tool call. Each returns what the model sends instead, or undefined if it does not apply. */
import type { ScriptedAnswer } from '../../fakes/model-server.ts';
import type { Chance } from '../../torture/seeded-random.ts';

export interface IntendedCall {
  name: string;
  input: Record<string, unknown>;
}

export interface Situation {
  call: IntendedCall;
  /** The call before this one. */
  last: IntendedCall | undefined;
  chance: Chance;
}

export interface Mistake {
  name: string;
  /** The answer has no call. Two such answers in a row are a model that has given up. */
  isTextOnly?: boolean;
  make(situation: Situation): ScriptedAnswer | undefined;
}

const plain = ({ name, input }: IntendedCall): ScriptedAnswer => ({ calls: [{ name, input }], usage: null });
const verbatim = ({ name }: IntendedCall, text: string): ScriptedAnswer => ({
  calls: [{ name, arguments: text }],
  usage: null,
});
const says = (text: string): ScriptedAnswer => ({ text, usage: null });

function withPath(change: (path: string) => string): Mistake['make'] {
  return ({ call }) => {
    const { path } = call.input;
    return typeof path === 'string'
      ? plain({ ...call, input: { ...call.input, path: change(path) } })
      : undefined;
  };
}

function withOld(change: (old: string) => string): Mistake['make'] {
  return ({ call }) => {
    const { old } = call.input;
    if (typeof old !== 'string' || change(old) === old) return undefined;
    return plain({ ...call, input: { ...call.input, old: change(old) } });
  };
}

const otherNames: Readonly<Record<string, string>> = {
  path: 'file_path',
  old: 'old_string',
  new: 'new_string',
  pattern: 'query',
};
const otherTools: Readonly<Record<string, string>> = { read_file: 'Read', edit_file: 'Edit', search: 'Grep' };

function renamed({ name, input }: IntendedCall): IntendedCall {
  const pairs = Object.entries(input).map(([key, value]) => [otherNames[key] ?? key, value]);
  return { name, input: Object.fromEntries(pairs) as IntendedCall['input'] };
}

function withTypo(text: string, chance: Chance): string {
  const at = Math.floor(chance.between(1, text.length - 2));
  return `${text.slice(0, at)}${text[at + 1]}${text[at]}${text.slice(at + 2)}`;
}

const json = ({ input }: IntendedCall): string => JSON.stringify(input);

export const mistakes: readonly Mistake[] = [
  { name: 'a slash before the path', make: withPath((path) => `/${path}`) },
  { name: './ before the path', make: withPath((path) => `./${path}`) },
  { name: 'a path without extension', make: withPath((path) => path.replace('.mdx', '')) },
  {
    name: 'an address as path',
    make: withPath((path) => `https://docs.example.com/${path.replace('.mdx', '')}`),
  },
  { name: 'names of arguments that other agents use', make: ({ call }) => plain(renamed(call)) },
  {
    name: 'a tool of another agent',
    make: ({ call }) => {
      const name = otherTools[call.name];
      return name === undefined ? undefined : plain({ ...renamed(call), name });
    },
  },
  {
    name: 'null for options',
    make: ({ call }) =>
      call.name === 'read_file'
        ? plain({ ...call, input: { ...call.input, offset: null, limit: null } })
        : undefined,
  },
  {
    name: 'text for numbers',
    make: ({ call }) =>
      call.name === 'read_file'
        ? plain({ ...call, input: { ...call.input, offset: '1', limit: '200' } })
        : undefined,
  },
  { name: 'line numbers in old', make: withOld((old) => `    8\t${old}`) },
  {
    name: 'other white space in old',
    make: withOld((old) => (old.startsWith(' ') ? old.trimStart() : `  ${old}\n`)),
  },
  {
    name: 'plain quotes in old',
    make: withOld((old) => old.replaceAll(/[“”]/g, '"').replaceAll('–', '-')),
  },
  { name: 'arguments without the last brace', make: ({ call }) => verbatim(call, json(call).slice(0, -1)) },
  {
    name: 'a comma at the end of the arguments',
    make: ({ call }) => verbatim(call, `${json(call).slice(0, -1)},}`),
  },
  { name: 'a tag after the arguments', make: ({ call }) => verbatim(call, `${json(call)}</tool_call>`) },
  { name: 'arguments encoded twice', make: ({ call }) => verbatim(call, JSON.stringify(json(call))) },
  {
    name: 'an answer cut by its length',
    make: ({ call }) => ({ ...verbatim(call, json(call).slice(0, json(call).length / 2)), stop: 'length' }),
  },
  {
    name: 'words instead of a call',
    isTextOnly: true,
    make: ({ call }) => says(`Now I will use ${call.name} to continue with the task.`),
  },
  { name: 'an early end', isTextOnly: true, make: () => says('I have found what you asked for.') },
  { name: 'the last call again', make: ({ last }) => (last === undefined ? undefined : plain(last)) },
  { name: 'an invented tool', make: ({ call }) => plain({ ...call, name: 'open_documentation' }) },
  {
    name: 'two calls of finish',
    make: ({ call }) =>
      call.name === 'finish'
        ? { calls: [call, call].map(({ name, input }) => ({ name, input })), usage: null }
        : undefined,
  },
  {
    name: 'a typing mistake in a search',
    make: ({ call, chance }) => {
      const key = ['query', 'pattern'].find((name) => typeof call.input[name] === 'string');
      if (key === undefined) return undefined;
      return plain({ ...call, input: { ...call.input, [key]: withTypo(String(call.input[key]), chance) } });
    },
  },
];

export function correct(call: IntendedCall): ScriptedAnswer {
  return plain(call);
}

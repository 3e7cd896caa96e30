/**
 * The full reader of YAML, loaded by the first text that the plain one declines: loading it takes 25 ms. And how it reads, whatever
 * the text is for.
 */
import { createRequire } from 'node:module';
import type * as Yaml from 'yaml';

let loaded: typeof Yaml | undefined;

export function fullYaml(): typeof Yaml {
  loaded ??= createRequire(import.meta.url)('yaml') as typeof Yaml;
  return loaded;
}

/**
 * Keys are texts. A list or a mapping in the place of a key would be written out as one, with every quotation mark of what is nested
 * in it marked once more: 300 of them in each other took 4 s, and each hundred more twelve times as long.
 */
export const yamlRules = {
  logLevel: 'silent',
  uniqueKeys: false,
  stringKeys: true,
  // Each mistake would look for its line from the top: 40,000 of them took 6 s, 1.7 s without.
  prettyErrors: false,
} as const;

/** What is wrong, in words for whoever wrote it. */
export function yamlProblem({ code, message }: Pick<Yaml.YAMLParseError, 'code' | 'message'>): string {
  if (code === 'NON_STRING_KEY') return 'a key must be a text, and no list, mapping or alias';
  return code === 'RESOURCE_EXHAUSTION' ? 'it is nested too deeply' : message;
}

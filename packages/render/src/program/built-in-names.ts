/** Components of the format that code may name as values: `child.type === Card`. */
import { catalogue } from '../components/catalogue.ts';
import { ambientNames } from './ambient-names.ts';

/** How code reads one of them by its name. */
const builtInPrefix = 'MintlifyComponents[';

/** Names that browsers define as well mean what they mean there. */
export function isBuiltInName(name: string): boolean {
  return catalogue.has(name) && !ambientNames.has(name);
}

export function builtInText(name: string): string {
  return `${builtInPrefix}${JSON.stringify(name)}]`;
}

export function isBuiltInText(text: string): boolean {
  return text.startsWith(builtInPrefix);
}

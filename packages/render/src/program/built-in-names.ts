/** Components of the format that code may use as values: `child.type === Card`. */
import { catalogue } from '../components/catalogue.ts';
import { ambientNames } from './ambient-names.ts';

const builtInPrefix = 'MintlifyComponents[';

export function isBuiltInName(name: string): boolean {
  return catalogue.has(name) && !ambientNames.has(name);
}

export function builtInText(name: string): string {
  return `${builtInPrefix}${JSON.stringify(name)}]`;
}

export function isBuiltInText(text: string): boolean {
  return text.startsWith(builtInPrefix);
}

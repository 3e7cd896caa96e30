/** Fields that divisions and groups of the configured navigation have in common. */
import { textAt } from '../config/json.ts';
import { readColorPair } from '../config/surroundings.ts';
import { iconText } from '../icons/reference.ts';
import type { Division } from './tree.ts';
import type { JsonObject } from '../model/json.ts';

export function colorOf({ color }: JsonObject): Pick<Division, 'color'> {
  const pair = readColorPair(color);
  const plain = (text: string): string => text.trim().toLowerCase();
  return pair ? { color: { light: plain(pair.light), dark: plain(pair.dark) } } : {};
}

export function optionalText<Key extends 'tag' | 'description'>(
  key: Key,
  node: JsonObject,
): Partial<Record<Key, string>> {
  const value = textAt(node, key);
  return value === undefined ? {} : ({ [key]: value } as Record<Key, string>);
}

export function iconOf(node: JsonObject): { icon?: string } {
  const icon = iconText(node['icon'], node['iconType']);
  return icon ? { icon } : {};
}

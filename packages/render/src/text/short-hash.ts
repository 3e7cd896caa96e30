import { hash } from 'node:crypto';

export function shortHash(text: string | Uint8Array): string {
  return hash('sha256', text).slice(0, 40);
}

export function idsHash(ids: readonly string[]): string {
  return shortHash(ids.join('\n'));
}

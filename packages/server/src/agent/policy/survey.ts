/** Surveys a repository before a run: its size, the hosts it names, the files of its configuration. */
import { posix } from 'node:path';
import type { Tree } from '../contract.ts';
import { hostOf, textAddresses } from './addresses.ts';
import { readLeaves } from './config.ts';
import type { Survey } from './rule.ts';

const readable = /\.(?:mdx?|json|ya?ml|svg|txt|html?|jsx?|tsx?|css)$/i;
const maxFileBytes = 5_000_000;
const maxParts = 100;

export async function surveyTree(tree: Pick<Tree, 'list' | 'read'>): Promise<Survey> {
  const files = await tree.list();
  const hosts = new Set<string>();
  let lineCount = 0;
  for (const { path, sizeBytes } of files) {
    if (!readable.test(path) || sizeBytes > maxFileBytes) continue;
    const text = await textOf(tree, path);
    lineCount += text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
    for (const { url } of textAddresses(text)) {
      const host = hostOf(url);
      if (host !== undefined) hosts.add(host);
    }
  }
  return { fileCount: files.length, lineCount, hosts, configParts: await configParts(tree) };
}

async function configParts(tree: Pick<Tree, 'read'>): Promise<Map<string, string>> {
  const parts = new Map<string, string>();
  const open: [path: string, key: string][] = [
    ['docs.json', ''],
    ['mint.json', ''],
  ];
  for (let next = open.pop(); next && parts.size < maxParts; next = open.pop()) {
    const [path, key] = next;
    for (const leaf of readLeaves(await textOf(tree, path), key) ?? []) {
      if (!/(?:^|\.)\$ref$/.test(leaf.key) || typeof leaf.value !== 'string') continue;
      const target = posix.join(posix.dirname(path), leaf.value);
      if (target.startsWith('..') || parts.has(target)) continue;
      parts.set(target, leaf.key.replace(/\.?\$ref$/, ''));
      open.push([target, leaf.key.replace(/\.?\$ref$/, '')]);
    }
  }
  return parts;
}

/** The tree refuses paths that leave the docs root; such files count as empty. */
async function textOf(tree: Pick<Tree, 'read'>, path: string): Promise<string> {
  const bytes = await tree.read(path).catch(() => undefined);
  return new TextDecoder().decode(bytes ?? new Uint8Array());
}

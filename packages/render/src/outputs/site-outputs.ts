/** Writes all outputs and classifies generated files. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isFixedPath, matchesPath } from '../model/path-pattern.ts';
import type { Site } from '../site/site.ts';
import type { Output, OutputContext, OutputItem } from './contract.ts';
import { outputs } from './table.ts';

const maxOwnFileBytes = 50_000_000;

export async function* siteOutputs(context: OutputContext): AsyncGenerator<OutputItem> {
  for (const output of outputs) {
    context.signal?.throwIfAborted();
    const own = output.canOverride ? await ownFile(context.site, output.files[0] ?? '') : undefined;
    if (own) for (const path of output.files.filter(isFixedPath)) yield { path, content: own };
    else if (!output.needsOrigin || context.publicAddresses.home !== undefined)
      yield* output.write?.(context) ?? [];
  }
}

async function ownFile({ root, files }: Site, name: string): Promise<Uint8Array | undefined> {
  if (!files.all.includes(name)) return undefined;
  const path = join(root, name);
  const { size } = await stat(path);
  return size > maxOwnFileBytes ? undefined : readFile(path);
}

export function generatedFiles({ hasOrigin }: { hasOrigin: boolean }): string[] {
  return outputs.filter(({ needsOrigin }) => hasOrigin || !needsOrigin).flatMap(({ files }) => files);
}

export function protectedOutputFiles(): string[] {
  return outputs.filter(({ isProtected }) => isProtected).flatMap(({ files }) => files.filter(isFixedPath));
}

/** Whether a path, other than a page's own file, belongs to a matching output. */
export function isOutputFile(path: string, has: (output: Output) => boolean = () => true): boolean {
  return outputs.some(
    (output) => has(output) && output.files.some((pattern) => matchesPath(pattern, path, () => false)),
  );
}

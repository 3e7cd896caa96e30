/** Bundles the islands script, for `scripts/islands.ts` and the test that compares it with its source. */
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

export const islandScriptFile = new URL('../../src/islands/files/islands.js', import.meta.url);

export async function bundleIslandScript(): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('../../src/islands/browser/main.ts', import.meta.url)),
    transform: { target: 'es2022' },
    logLevel: 'warn',
  });
  try {
    const { output } = await bundle.generate({ format: 'iife', minify: true, comments: false });
    return output[0].code.endsWith('\n') ? output[0].code : `${output[0].code}\n`;
  } finally {
    await bundle.close();
  }
}

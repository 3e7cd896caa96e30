import { codeFences, type CodeFence } from '../api-examples/code-fences.ts';
import type { DiffFile } from '../contract.ts';
import { addedTo, isPage } from '../policy/rule.ts';

export interface Sample extends Pick<CodeFence, 'language' | 'line' | 'code'> {
  path: string;
}

/** Samples that a page did not have before, in a language of `languages` and not marked with `norun`. */
export function changedSamples(
  files: readonly Pick<DiffFile, 'path' | 'before' | 'after'>[],
  languages: ReadonlySet<string>,
): Sample[] {
  const samplesOf = (source: string | null) =>
    codeFences(source ?? '').filter(
      ({ language, words, code }) =>
        languages.has(language) &&
        !words.some((word) => word.toLowerCase() === 'norun') &&
        code.trim() !== '',
    );
  return files
    .filter(({ path }) => isPage(path))
    .flatMap(({ path, before, after }) => {
      const added = addedTo(
        samplesOf(before),
        samplesOf(after),
        ({ language, code }) => `${language}\n${code}`,
      );
      return added.map(({ language, line, code }) => ({ path, language, line, code }));
    });
}

/** `secret` is a value that the program under test holds, such as the token of its forge. */
import type { HostileCase } from './case.ts';
import { codeRepositoryCases } from './code-repositories.ts';
import { codeCases } from './code.ts';
import { excessCases } from './excess.ts';
import { leakingCases } from './leaks.ts';
import { reachingCases } from './boundary-crossings.ts';
import { repositoryCases } from './repositories.ts';
import { shellCases } from './shell.ts';
import { wordCases } from './forge-keywords.ts';

export function hostileCases(secret: string): HostileCase[] {
  return [
    ...reachingCases,
    ...repositoryCases,
    ...leakingCases(secret),
    ...codeCases,
    ...codeRepositoryCases,
    ...wordCases,
    ...excessCases,
    ...shellCases,
  ];
}

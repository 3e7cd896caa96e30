import { ForgeError, type Forge, type ForgeSettings } from '../../ports/forge.ts';
import { basic, tokenOf, usernameOf } from './credentials.ts';

export function bareForge({ credential, fork = null }: ForgeSettings): Forge {
  if (fork !== null) {
    throw new ForgeError('rejected', 'Plain git has no pull requests, so it cannot use a fork.', {
      hint: 'Set the repository of the project to the fork, or choose the kind of the forge.',
    });
  }
  const header = credential === null ? null : basic(usernameOf(credential) ?? 'git', tokenOf(credential));
  const none = () =>
    Promise.reject(
      new ForgeError('not_found', 'The repository is not on a forge, so it has no pull requests.'),
    );
  return {
    kind: 'bare',
    openFork: () => Promise.resolve(null),
    findPr: () => Promise.resolve(undefined),
    createPr: () => Promise.resolve(undefined),
    updatePr: none,
    prState: none,
    addDetails: none,
    ownAccount: none,
    canWrite: none,
    readPr: none,
    listChangedPaths: none,
    putComment: none,
    replyTo: none,
    putStatus: none,
    defaultBranch: () => Promise.resolve(null),
    gitCredential: () => Promise.resolve(header),
  };
}

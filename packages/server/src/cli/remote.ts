/** API descriptions and pictures of other hosts for commands without a server, under the same rules as in the service. */
import { readEgress } from '../egress/environment.ts';
import { fetchDocument } from '../egress/fetch.ts';
import { fetchPicture } from '../egress/picture.ts';
import { policyFor, type EgressRules } from '../egress/rules.ts';

interface Offline {
  offline?: boolean | undefined;
}

type Fetch = (address: string) => Promise<Uint8Array>;

export function remoteFetch(options: Offline = {}): Fetch {
  const policy = policyFor(rulesOf(options), 'spec');
  return (address) => fetchDocument(address, policy);
}

/** Without it the renderer asks for none, and says that they are elsewhere. */
export function remotePictures(options: Offline): { fetchPicture?: Fetch } {
  const policy = policyFor(rulesOf(options), 'picture');
  return policy.offline ? {} : { fetchPicture: (address) => fetchPicture(address, policy) };
}

/** Those of the environment, and offline where the command says so. */
export function rulesOf({ offline = false }: Offline): EgressRules {
  const allowed = readEgress(process.env);
  return { ...allowed, offline: allowed.offline || offline };
}

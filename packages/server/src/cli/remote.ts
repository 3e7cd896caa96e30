/** Fetches API descriptions and images for commands without a server, under the egress rules of the service. */
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

/** Without a fetch function the renderer leaves images on their hosts and reports them. */
export function remotePictures(options: Offline): { fetchPicture?: Fetch } {
  const policy = policyFor(rulesOf(options), 'picture');
  return policy.offline ? {} : { fetchPicture: (address) => fetchPicture(address, policy) };
}

export function rulesOf({ offline = false }: Offline): EgressRules {
  const allowed = readEgress(process.env);
  return { ...allowed, offline: allowed.offline || offline };
}

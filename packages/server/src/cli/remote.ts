/** API descriptions and pictures of other hosts for commands without a server, under the same rules as in the service. */
import type { EgressPolicy } from '../egress/addresses.ts';
import { readEgress } from '../egress/environment.ts';
import { fetchDocument } from '../egress/fetch.ts';
import { fetchPicture } from '../egress/picture.ts';

interface Offline {
  offline?: boolean | undefined;
}

type Fetch = (address: string) => Promise<Uint8Array>;

export function remoteFetch(options: Offline = {}): Fetch {
  const policy = policyOf(options);
  return (address) => fetchDocument(address, policy);
}

/** Without it the renderer asks for none, and says that they are elsewhere. */
export function remotePictures(options: Offline): { fetchPicture?: Fetch } {
  const policy = policyOf(options);
  return policy.offline ? {} : { fetchPicture: (address) => fetchPicture(address, policy) };
}

export function policyOf({ offline = false }: Offline): EgressPolicy {
  const allowed = readEgress(process.env);
  return { ...allowed, offline: allowed.offline || offline };
}

/** Fetches API descriptions, images and fonts for commands without a server, under the egress rules of the service. */
import { readEgress } from '../egress/environment.ts';
import { fetchDocument } from '../egress/fetch.ts';
import { fetchFont } from '../egress/font.ts';
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

/** Without these functions the renderer leaves images and fonts on their hosts and reports them. */
export function remoteAssets(options: Offline): { fetchPicture?: Fetch; fetchFont?: Fetch } {
  const rules = rulesOf(options);
  if (rules.offline) return {};
  return {
    fetchPicture: (address) => fetchPicture(address, policyFor(rules, 'picture')),
    fetchFont: (address) => fetchFont(address, policyFor(rules, 'font')),
  };
}

export function rulesOf({ offline = false }: Offline): EgressRules {
  const allowed = readEgress(process.env);
  return { ...allowed, offline: allowed.offline || offline };
}

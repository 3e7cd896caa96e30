/** API descriptions of other hosts for commands without a server, under the same rules as in the service. */
import { readEgress } from '../config.ts';
import { fetchDocument } from '../egress/fetch.ts';

export function remoteFetch({ offline = false }: { offline?: boolean | undefined } = {}): (
  address: string,
) => Promise<Uint8Array> {
  const allowed = readEgress(process.env);
  const policy = { ...allowed, offline: allowed.offline || offline };
  return (address) => fetchDocument(address, policy);
}

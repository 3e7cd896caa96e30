/** A server with several sites, and a client that chooses the host. */
import { HostedSite, type HostedSiteOptions } from '../../src/serving/hosted-site.ts';
import { type Ports, SiteServer, type SiteServerOptions } from '../../src/serving/site-server.ts';
import { connectTo, statusOf, type Answer } from './served-releases.ts';

export interface SeveralSites extends Ports {
  server: SiteServer;
  hosted: Record<string, HostedSite>;
  /** Without encryption. */
  get(host: string, target: string): Promise<Answer>;
}

export async function startServers(
  sites: readonly Partial<HostedSiteOptions>[],
  options: Partial<SiteServerOptions> = {},
): Promise<SeveralSites> {
  const all = sites.map((site) => new HostedSite({ status: () => statusOf(), ...site }));
  const server = new SiteServer({ host: '127.0.0.1', port: 0, sites: all, ...options });
  const ports = await server.listen();
  return {
    ...ports,
    server,
    hosted: Object.fromEntries(all.map((site) => [site.name, site])),
    async get(host, target) {
      const client = await connectTo(ports.port);
      try {
        return await client.ask(`GET ${target} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      } finally {
        client.close();
      }
    },
  };
}

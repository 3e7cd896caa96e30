/** Settings that are valid alone but not together. */
import { ConfigError } from '../errors.ts';
import { closestName } from './closest-name.ts';
import type { NamedSite, SiteSettings } from './settings.ts';

export function refuseConflicts(settings: SiteSettings): void {
  const { sites, defaultSite, redirectPort, tls } = settings;
  if (defaultSite !== null) refuseUnknownDefault(defaultSite, sites ?? []);
  for (const [index, site] of (sites ?? []).entries()) {
    for (const other of (sites ?? []).slice(0, index)) refusePair(other, site);
  }
  const hasCertificate = tls !== null || (sites ?? []).some((site) => site.tls !== null);
  if (redirectPort !== null && !hasCertificate)
    throw new ConfigError('redirectPort is set without a certificate. Set tls.certFile and tls.keyFile.');
  const bare = sites?.find((site) => site.tls === null);
  if (hasCertificate && bare !== undefined)
    throw new ConfigError(
      `The site ${bare.name} has no certificate, but another has. Set tls.certFile and tls.keyFile for it or at the top of the file.`,
    );
}

function refuseUnknownDefault(defaultSite: string, sites: readonly NamedSite[]): void {
  const names = sites.map(({ name }) => name);
  if (names.includes(defaultSite)) return;
  if (names.length === 0)
    throw new ConfigError(`defaultSite=${defaultSite}: there is no list of sites. Remove the setting.`);
  const near = closestName(defaultSite, names);
  const hint = near === undefined ? `Known: ${names.join(', ')}.` : `Did you mean ${near}?`;
  throw new ConfigError(`defaultSite=${defaultSite}: sites has no entry of this name. ${hint}`);
}

function refusePair(one: NamedSite, other: NamedSite): void {
  if (one.name === other.name)
    throw new ConfigError(`Two sites have the name ${one.name}. Set another name in one of them.`);
  if (one.dataDir === other.dataDir)
    throw new ConfigError(
      `The sites ${one.name} and ${other.name} have the same data folder. Set another data in one of them.`,
    );
  const host = one.hosts.find((each) => other.hosts.includes(each));
  const isShared = host !== undefined || (one.hosts.length === 0 && other.hosts.length === 0);
  if (!isShared) return;
  const shown = `The sites ${one.name} and ${other.name} both serve ${host ?? 'every host'}`;
  if (one.basePath === null || other.basePath === null)
    throw new ConfigError(`${shown}. Set basePath in both, or another host in one of them.`);
  if (pathOf(one) === pathOf(other))
    throw new ConfigError(`${shown} with the same basePath. Set another in one of them.`);
}

/** `/` and an empty path are the root. */
function pathOf({ basePath }: NamedSite): string {
  return (basePath ?? '').replace(/^\/$/, '');
}

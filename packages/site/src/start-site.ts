/**
 * Starts and stops a process with one or several sites: settings, data folders, server and refreshes. Changed settings
 * are reloaded; invalid ones are logged and ignored.
 */
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { DeployedSite, type SiteToDeploy } from './deployed-site.ts';
import { openLog } from './log/log.ts';
import { inheritedSockets } from './network/inherited-sockets.ts';
import { watchFolder, type Watching } from './refresh/folder-watch.ts';
import type { OnInstallStep } from './releases/install-steps.ts';
import { AccessLog } from './serving/access-log.ts';
import { Certificates } from './serving/certificates.ts';
import { type Ports, SiteServer } from './serving/site-server.ts';
import { readSettings, type GivenSettings, type NamedSite, type SiteSettings } from './settings/settings.ts';

export interface RunningSite extends Ports {
  settings: SiteSettings;
  sites: { name: string | null; release: string | null }[];
  /** Reads certificates and settings again and reopens the access log. */
  reload(): Promise<void>;
  reopenLogs(): Promise<void>;
  /** Finishes running requests. */
  stop(): Promise<void>;
}

const stopGraceSeconds = 10;

export async function startSite(
  given: GivenSettings,
  { onStep }: { onStep?: OnInstallStep } = {},
): Promise<RunningSite> {
  const settings = readSettings(given);
  const { logLevel, logFormat, host, port, statusPort, redirectPort, defaultSite } = settings;
  const log = openLog({ level: logLevel, format: logFormat });
  const certificates = certificatesOf(settings, log);
  const accessLog =
    settings.accessLog === null ? undefined : await AccessLog.open({ ...settings.accessLog, log });
  const sites = sitesOf(settings).map((site) => new DeployedSite(site, { log, onStep }));
  const inherited = inheritedSockets(given.environment);
  const server = new SiteServer({
    host,
    port,
    statusPort: statusPort ?? undefined,
    redirectPort: redirectPort ?? undefined,
    defaultSite,
    inherited,
    certificates,
    accessLog,
    sites: sites.map(({ hosted }) => hosted),
    failed: (path, error) => log.error({ path, error: (error as Error).message }, 'a request failed'),
    ...(log.isLevelEnabled('debug') ? { answered: (line: object) => log.debug(line, 'request') } : {}),
  });
  const stop = async (graceSeconds: number) => {
    const drained = server.close(graceSeconds);
    await Promise.all([...sites.map((site) => site.stop(drained)), drained]);
    await accessLog?.close();
  };
  try {
    const [only] = settings.sites === null ? sites : [];
    await only?.open();
    const startSites = async () =>
      only === undefined ? Promise.all(sites.map((site) => site.startWithRetries())) : only.start();
    // Requests wait in an inherited socket. A port comes first, so that nothing has changed if it is in use.
    if (inherited !== undefined) await startSites();
    const ports = await server.listen();
    if (inherited === undefined) await startSites();
    const watching = [watchSettings(given, settings, { sites, log }), ...watchCertificates(certificates)];
    return {
      settings,
      ...ports,
      sites: sites.map(({ hosted: { name }, release }) => ({ name, release })),
      async reload() {
        certificates?.reload();
        for (const { look } of watching) look();
        await accessLog?.reopen();
      },
      async reopenLogs() {
        await accessLog?.reopen();
      },
      async stop() {
        for (const each of watching) each.stop();
        await stop(stopGraceSeconds);
      },
    };
  } catch (error) {
    await stop(0);
    throw error;
  }
}

function sitesOf(settings: SiteSettings): SiteToDeploy[] {
  const { basePath, hstsSeconds } = settings;
  return settings.sites ?? [{ name: null, hosts: [], basePath, hstsSeconds, settings }];
}

/** The certificate at the top of the file, or else of the default site, is for clients that name no known host. */
function certificatesOf({ tls, sites, defaultSite }: SiteSettings, log: Logger): Certificates | undefined {
  const ofSites = (sites ?? [])
    .toSorted((a, b) => Number(b.name === defaultSite) - Number(a.name === defaultSite))
    .flatMap((site) => (site.tls === null ? [] : [{ hosts: site.hosts, files: site.tls }]));
  const all = [...(tls === null ? [] : [{ hosts: [], files: tls }]), ...ofSites];
  return all.length === 0 ? undefined : new Certificates(all, log);
}

interface Reloading extends Watching {
  look(): void;
}

function watchCertificates(certificates: Certificates | undefined): Reloading[] {
  if (certificates === undefined) return [];
  const look = () => void certificates.reload();
  const folders = new Set(certificates.files.map((file) => dirname(file)));
  return [...folders].map((folder) => ({ ...watchFolder(folder, look), look }));
}

/** Watches the file and the key files it names. */
function watchSettings(
  given: GivenSettings,
  first: SiteSettings,
  { sites, log }: { sites: readonly DeployedSite[]; log: Logger },
): Reloading {
  let current = fingerprintsOf(first);
  let lastError = '';
  const look = () => {
    try {
      const settings = readSettings(given);
      const next = fingerprintsOf(settings);
      lastError = '';
      const bySite = new Map(sitesOf(settings).map((site) => [site.name, site.settings]));
      const changed = sites.filter(
        ({ hosted: { name } }) => next.ofExports.get(name) !== current.ofExports.get(name),
      );
      for (const site of changed) {
        const own = bySite.get(site.hosted.name);
        if (own !== undefined) site.apply(own);
      }
      if (changed.length > 0) log.info('new settings are in use');
      if (next.ofProcess !== current.ofProcess)
        log.warn('settings outside staticExport have changed; restart to apply them');
      current = next;
    } catch (error) {
      const { message } = error as Error;
      if (message !== lastError) log.error(`the new settings are invalid and ignored: ${message}`);
      lastError = message;
    }
  };
  const watching = watchFolder(given.file === undefined ? first.dataDir : dirname(given.file), look);
  return { ...watching, look };
}

interface Fingerprints {
  ofExports: Map<string | null, string>;
  ofProcess: string;
}

function fingerprintsOf(settings: SiteSettings): Fingerprints {
  const sites = sitesOf(settings);
  const ofExports = new Map(sites.map(({ name, settings: own }) => [name, exportText(own)]));
  const { staticExport: _, ...ofProcess } = settings;
  const named = settings.sites?.map(({ settings: own, ...others }) => ({
    ...others,
    report: own instanceof Error ? null : own.report,
  }));
  return { ofExports, ofProcess: JSON.stringify({ ...ofProcess, sites: named }) };
}

function exportText(settings: NamedSite['settings']): string {
  if (settings instanceof Error) return settings.message;
  const { publicKeys, contentKey, ...others } = settings.staticExport;
  return JSON.stringify([others, publicKeys.map(({ bytes }) => bytes.toString('hex')), contentKey?.keyId]);
}

/**
 * Starts and stops a deployment: settings, data folder, server and refreshes. Changed settings are reloaded;
 * invalid ones are logged and ignored.
 */
import { dirname } from 'node:path';
import type { Logger } from 'pino';
import { openLog } from './log/log.ts';
import { Deployment } from './refresh/deployment.ts';
import { Reporter } from './reporting/reporter.ts';
import { SiteServer } from './serving/site-server.ts';
import { readSettings, type GivenSettings, type SiteSettings } from './settings/settings.ts';
import type { OnInstallStep } from './releases/install-steps.ts';
import { ReleaseStore } from './releases/store.ts';
import { watchFolder, type Watching } from './refresh/folder-watch.ts';

export interface RunningSite {
  settings: SiteSettings;
  port: number;
  statusPort: number | undefined;
  /** Null until the first installation. */
  release: string | null;
  /** Finishes running requests. */
  stop(): Promise<void>;
}

const stopGraceSeconds = 10;

export async function startSite(
  given: GivenSettings,
  { onStep }: { onStep?: OnInstallStep } = {},
): Promise<RunningSite> {
  const settings = readSettings(given);
  const { logLevel, logFormat } = settings;
  const log = openLog({ level: logLevel, format: logFormat });
  const store = await ReleaseStore.openIn(settings.dataDir, { onStep });
  try {
    const server = new SiteServer({
      host: settings.host,
      port: settings.port,
      statusPort: settings.statusPort ?? undefined,
      basePath: settings.basePath ?? undefined,
      hstsSeconds: settings.hstsSeconds,
      status: () => deployment.status(),
      ...(log.isLevelEnabled('debug') ? { answered: (line: object) => log.debug(line, 'request') } : {}),
    });
    const onChange = () => reporter?.releaseMayHaveChanged();
    const deployment = new Deployment(settings.staticExport, { store, server, log, onChange });
    const reporter = reporterOf(settings, { store, deployment, log });
    // The port first, so that nothing has changed if it is in use.
    const ports = await server.listen();
    await deployment.start();
    reporter?.start();
    const watching = watchSettings(given, settings, { deployment, log });
    return {
      settings,
      ...ports,
      release: deployment.status().release?.id ?? null,
      async stop() {
        watching.stop();
        await reporter?.stop();
        await deployment.stop(server.close(stopGraceSeconds));
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

function reporterOf(
  { report, staticExport: { publicKeys, offline } }: SiteSettings,
  parts: { store: ReleaseStore; deployment: Deployment; log: Logger },
): Reporter | undefined {
  return report === null ? undefined : new Reporter(report, { ...parts, publicKeys, offline });
}

/** Watches the file and the key files it names. */
function watchSettings(
  given: GivenSettings,
  first: SiteSettings,
  { deployment, log }: { deployment: Deployment; log: Logger },
): Watching {
  let current = fingerprintOf(first);
  let lastError = '';
  const look = () => {
    try {
      const settings = readSettings(given);
      const next = fingerprintOf(settings);
      lastError = '';
      if (next.ofExport !== current.ofExport) {
        deployment.apply(settings.staticExport);
        log.info('new settings are in use');
      }
      if (next.ofProcess !== current.ofProcess)
        log.warn('settings outside staticExport have changed; restart to apply them');
      current = next;
    } catch (error) {
      const { message } = error as Error;
      if (message !== lastError) log.error(`the new settings are invalid and ignored: ${message}`);
      lastError = message;
    }
  };
  return watchFolder(given.file === undefined ? first.dataDir : dirname(given.file), look);
}

function fingerprintOf({ staticExport, ...ofProcess }: SiteSettings): {
  ofExport: string;
  ofProcess: string;
} {
  const { publicKeys, ...others } = staticExport;
  const keys = publicKeys.map(({ bytes }) => bytes.toString('hex'));
  return { ofExport: JSON.stringify([others, keys]), ofProcess: JSON.stringify(ofProcess) };
}

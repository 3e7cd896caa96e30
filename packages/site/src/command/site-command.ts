/** `docyard site`: serves an exported site, lists its releases and rolls back. */
import type { Command } from 'commander';
import type { FlagName, NamedSite, SiteSettings } from '../settings/settings.ts';
import { describeAnalytics } from './analytics-command.ts';
import { describeHashPassword } from './hash-password-command.ts';
import type { RunningSite } from '../start-site.ts';
import type { ReleaseStore } from '../releases/store.ts';
import { type CommandNames, explained, SiteCommandError } from './command-error.ts';
import { dataFolderOf, type FolderOptions } from './data-folder.ts';
import { tableText } from './table.ts';

interface SiteOptions {
  config?: string;
  data?: string;
  port?: string;
  host?: string;
  statusPort?: string;
  basePath?: string;
  logLevel?: string;
  logFormat?: string;
  accessLog?: string;
  accessLogFile?: string;
  tlsCertFile?: string;
  tlsKeyFile?: string;
  redirectPort?: string;
}

export function describeSite(command: Command, names: CommandNames): void {
  const name = names.site;
  command
    .description('Serve exported sites: fetch and verify their bundles, keep them up to date, roll back.')
    .option('-c, --config <file>', 'settings in YAML or JSON; reloaded when the file changes')
    .option('-d, --data <folder>', 'folder for releases (default: ./site-data)')
    .option('-p, --port <number>', 'port to listen on, 0 for a free one (default: 4480)')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--status-port <number>', 'another port for /healthz, /readyz and /metrics')
    .option(
      '--base-path <path>',
      'path below which the site is served (default: the path it was exported for)',
    )
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent (default: info)')
    .option('--log-format <format>', 'json or text (default: text on a terminal, otherwise json)')
    .option('--access-log <format>', 'log every request: common, combined or json (default: off)')
    .option('--access-log-file <file>', 'file of the access log (default: standard output)')
    .option('--tls-cert-file <file>', 'certificate chain in PEM, to serve HTTPS')
    .option('--tls-key-file <file>', 'private key of the certificate in PEM')
    .option('--redirect-port <number>', 'another port that redirects HTTP to HTTPS')
    .addHelpText(
      'after',
      [
        '',
        'Examples:',
        `  STATIC_EXPORT_BUNDLE_URL=https://… STATIC_EXPORT_VERSION=2.1 ${name}`,
        `  ${name} --config site.yaml --data /var/lib/docyard-site`,
        `  ${name} --config sites.yaml --access-log combined`,
        '',
        'SIGHUP reloads settings and certificates and reopens the access log; SIGUSR1 only reopens the log.',
        'Every setting of the file has an environment variable; the manual lists them under /deploy/site.',
      ].join('\n'),
    )
    .action((options: SiteOptions) => serveSite(options, names));
  addFolderOptions(command.command('status'))
    .description('Show the served release and the result of the last check for a newer one.')
    .addHelpText('after', `\nExample:\n  ${name} status --data /var/lib/docyard-site --json`)
    .action((options: FolderOptions) => status(options, names));
  addFolderOptions(command.command('releases'))
    .description('List installed releases, newest first.')
    .addHelpText('after', `\nExample:\n  ${name} releases --config site.yaml`)
    .action(releases);
  addFolderOptions(command.command('rollback'))
    .description('Serve an earlier release. It stays until the origin has a different bundle.')
    .argument('[release]', 'release to serve, such as r7 (default: the previous one)')
    .addHelpText(
      'after',
      `\nExamples:\n  ${name} rollback\n  ${name} rollback r7 --data /var/lib/docyard-site`,
    )
    .action((release: string | undefined, options: FolderOptions) => rollback(release, options, names));
  addFolderOptions(command.command('resume'))
    .description('End a rollback and follow the origin again.')
    .addHelpText('after', `\nExample:\n  ${name} resume --data /var/lib/docyard-site`)
    .action(resume);
  describeAnalytics(addFolderOptions(command.command('analytics')), names);
  describeHashPassword(command.command('hash-password'), names);
}

function addFolderOptions(command: Command): Command {
  return command
    .option('-c, --config <file>', 'settings file that names the folder')
    .option('-d, --data <folder>', 'folder for releases (default: ./site-data)')
    .option('--site <name>', 'one of several sites')
    .option('--json', 'print JSON');
}

async function serveSite({ config: file, ...flags }: SiteOptions, names: CommandNames): Promise<void> {
  const [{ startSite }, { untilStopSignal, onReloadSignals }] = await Promise.all([
    import('../start-site.ts'),
    import('./stop-signal.ts'),
  ]);
  const given = { file, environment: process.env, flags: flags as Partial<Record<FlagName, string>> };
  const site = await startSite(given).catch((error: unknown) => {
    throw explained(error);
  });
  process.stdout.write(welcome(site.settings, site, names));
  onReloadSignals(site);
  await untilStopSignal();
  process.stdout.write('\nStopping. Finishing open requests.\n');
  await site.stop();
  process.stdout.write('Stopped.\n');
}

function welcome(settings: SiteSettings, running: RunningSite, names: CommandNames): string {
  const { host, dataDir, tls, sites, accessLog } = settings;
  const { port, statusPort, redirectPort } = running;
  const shownHost = ['0.0.0.0', '::', '127.0.0.1', '::1'].includes(host) ? 'localhost' : host;
  const isSecure = tls !== null || sites?.[0]?.tls;
  const address = `${isSecure ? 'https' : 'http'}://${shownHost}:${port}`;
  const ofSites =
    sites === null
      ? releaseLines(settings, running.sites[0]?.release ?? null, names)
      : sites.map((site) => `  ${siteLine(site, running.sites)}`);
  const lines = [
    `  ${sites === null ? 'The site is' : 'The sites are'} served at ${address}`,
    '',
    ...ofSites,
    `  Data      ${dataDir}`,
    ...(statusPort === undefined ? [] : [`  Status    http://${shownHost}:${statusPort}/readyz`]),
    ...(redirectPort === undefined ? [] : [`  Redirect  http://${shownHost}:${redirectPort}`]),
    ...(accessLog === null
      ? []
      : [`  Requests  ${accessLog.file ?? 'standard output'}, ${accessLog.format}`]),
    '',
    '  Press Ctrl-C to stop.',
  ];
  return `\n${lines.join('\n')}\n\n`;
}

function releaseLines(
  { staticExport }: Pick<SiteSettings, 'staticExport'>,
  release: string | null,
  names: CommandNames,
): string[] {
  const { enabled, bundleUrl, refreshFrom, version, publicKeys } = staticExport;
  const from = [bundleUrl, refreshFrom].find((address) => address !== null)?.split('?', 1)[0];
  const origin = from === undefined ? names.import : enabled ? from : `${from} (disabled)`;
  const keys = publicKeys.map(({ keyId }) => keyId).join(' or ');
  return [
    `  Release   ${release ?? 'none yet'}`,
    `  From      ${origin}`,
    `  Version   ${version ?? 'any'}`,
    `  Signed    ${keys === '' ? 'not verified: set staticExport.publicKey' : `by ${keys}`}`,
  ];
}

function siteLine({ name, hosts, basePath, settings }: NamedSite, running: RunningSite['sites']): string {
  const place = `${hosts.length === 0 ? 'any host' : hosts.join(', ')}${basePath ?? ''}`;
  const release = running.find((site) => site.name === name)?.release ?? 'no release yet';
  return `${name.padEnd(9)} ${place}, ${settings instanceof Error ? settings.message : release}`;
}

async function status(options: FolderOptions, names: CommandNames): Promise<void> {
  await withStore(options, async ({ store, print }) => {
    const [{ runningProcesses }, { freshnessLine }] = await Promise.all([
      import('../releases/processes.ts'),
      import('@docyard/bundle'),
    ]);
    const [state, records, processes] = await Promise.all([
      store.state(),
      store.releases(),
      runningProcesses(store.folder),
    ]);
    const current = records.find(({ id }) => id === state.current) ?? null;
    const { held } = state;
    const facts = processes.map(({ pid, lastRefresh, refusals }) => ({ pid, lastRefresh, refusals }));
    print({ folder: store.folder, current, held, processes: facts }, () => [
      `served   ${current === null ? 'nothing yet' : `${current.id}, ${freshnessLine(current, new Date())}`}`,
      ...(current === null ? [] : [`from     ${current.origin}, installed ${current.installedAt}`]),
      ...(held === null
        ? []
        : [
            `held     rolled back from ${held.from} at ${held.at}; held until the origin has a different bundle (end with ${names.site} resume)`,
          ]),
      ...(processes.length === 0 ? ['process  none is running on this folder'] : processes.map(processLine)),
    ]);
  });
}

function processLine({
  pid,
  lastRefresh,
}: {
  pid: number;
  lastRefresh: { at: string; outcome: string; detail?: string | undefined } | null;
}): string {
  if (lastRefresh === null) return `process  ${pid}, no source to refresh from`;
  const { at, outcome, detail } = lastRefresh;
  return `process  ${pid}, last refresh ${at}: ${outcome}${detail === undefined ? '' : ` (${detail})`}`;
}

async function releases(options: FolderOptions): Promise<void> {
  await withStore(options, async ({ store, print }) => {
    const { current } = await store.state();
    const records = await store.releases();
    const rows = records.map((record) => ({
      release: record.id + (record.id === current ? ' (served)' : ''),
      version: record.version ?? '–',
      commit: record.commit?.slice(0, 7) ?? '–',
      content: record.committedAt?.slice(0, 10) ?? '–',
      pages: String(record.pages),
      signed: record.signedBy ?? '–',
      installed: record.installedAt,
    }));
    const shown = records.map((record) => ({ ...record, served: record.id === current }));
    print(shown, () => [tableText(rows).trimEnd()]);
  });
}

async function rollback(
  release: string | undefined,
  options: FolderOptions,
  names: CommandNames,
): Promise<void> {
  await withStore(options, async ({ store, print }) => {
    const [{ rolledBack, ReleaseNotFoundError }, { runningProcesses }, { freshnessLine }] = await Promise.all(
      [import('../releases/state.ts'), import('../releases/processes.ts'), import('@docyard/bundle')],
    );
    const installed = await store.releases();
    const state = await store
      .change((before) => rolledBack(before, installed, { to: release, at: new Date().toISOString() }))
      .catch((error: unknown) => {
        throw error instanceof ReleaseNotFoundError
          ? new SiteCommandError(error.message, 'not_found')
          : error;
      });
    const current = installed.find(({ id }) => id === state.current) ?? null;
    const isServed = (await runningProcesses(store.folder)).length > 0;
    print({ current, held: state.held, isServed }, () => [
      `${state.current} ${isServed ? 'is served now' : 'is current'}: ${current === null ? '' : freshnessLine(current, new Date())}.`,
      ...(isServed ? [] : [`No server is running on this folder: ${names.site} serves it.`]),
      `It stays until the origin has a different bundle. End the rollback with ${names.site} resume.`,
    ]);
  });
}

async function resume(options: FolderOptions): Promise<void> {
  await withStore(options, async ({ store, print }) => {
    const { resumed } = await import('../releases/state.ts');
    const { current } = await store.change(resumed);
    print({ current, held: null }, () => ['The site follows its origin again.']);
  });
}

interface Opened {
  store: ReleaseStore;
  print: (value: unknown, lines: () => string[]) => void;
}

async function withStore(options: FolderOptions, work: (opened: Opened) => Promise<void>): Promise<void> {
  const [{ ReleaseStore }, { existsSync }, { join }] = await Promise.all([
    import('../releases/store.ts'),
    import('node:fs'),
    import('node:path'),
  ]);
  const folder = await dataFolderOf(options);
  if (!existsSync(join(folder, 'releases')))
    throw new SiteCommandError(
      `${folder} contains no releases. Pass the folder of the deployment with --data.`,
      'not_found',
    );
  const store = await ReleaseStore.openIn(folder);
  try {
    await work({
      store,
      print: (value, lines) =>
        process.stdout.write(
          options.json
            ? `${JSON.stringify(value, null, 2)}\n`
            : lines()
                .map((line) => `${line}\n`)
                .join(''),
        ),
    });
  } finally {
    await store.close();
  }
}

/** `docyard-site import` and `docyard bundle import`: install a bundle or a delta from a file, without a network. */
import type { Command } from 'commander';
import type { Installation, Installed } from '../releases/install.ts';
import { type CommandNames, explained, SiteCommandError } from './command-error.ts';
import { dataFolderOf } from './data-folder.ts';

interface ImportOptions {
  config?: string;
  data?: string;
  site?: string;
  publicKey?: string[];
  version?: string;
  sha256?: string;
  json?: boolean;
}

export function describeImport(command: Command, names: CommandNames): void {
  const name = names.import;
  command
    .description('Verify and install a bundle or a delta from a file, without a network.')
    .argument('<file>', 'the archive')
    .option('-c, --config <file>', 'settings of the deployment: folder, keys, version')
    .option('-d, --data <folder>', 'folder of the deployment (default: ./site-data)')
    .option('--site <name>', 'one of several sites')
    .option('--public-key <key...>', 'required signing key: a .pub file or its key line')
    .option('--version <version>', 'required version')
    .option('--sha256 <hash>', 'required hash of the file')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      [
        '',
        'Examples:',
        `  ${name} bundle.tar.gz --public-key docyard.pub`,
        `  ${name} delta.tar.gz --data /var/lib/docyard-site --version 2.1`,
      ].join('\n'),
    )
    .action((file: string, options: ImportOptions) => importBundle(file, options, names));
}

async function importBundle(file: string, options: ImportOptions, names: CommandNames): Promise<void> {
  const [{ install }, { ReleaseStore }, { stat }, { resolve }] = await Promise.all([
    import('../releases/install.ts'),
    import('../releases/store.ts'),
    import('node:fs/promises'),
    import('node:path'),
  ]);
  if ((await stat(file)).isDirectory())
    throw new SiteCommandError(`${file} is a folder. Pass the archive of a bundle or a delta.`);
  const installation = await installationOfImport(options);
  const store = await ReleaseStore.openIn(await dataFolderOf(options));
  try {
    const arrival = { file, origin: resolve(file), fingerprint: null, jobId: null };
    const installed = await install(store, arrival, installation);
    // The deployment decides how many releases are kept; this removes only unfinished work of other
    // processes.
    await store.sweep(Number.POSITIVE_INFINITY);
    const { runningProcesses } = await import('../releases/processes.ts');
    await printOutcome(installed, (await runningProcesses(store.folder)).length > 0, options, names);
  } catch (error) {
    throw explained(error);
  } finally {
    await store.close();
  }
}

async function printOutcome(
  { release, replaced, outcome, appliedTo }: Installed,
  isServed: boolean,
  options: ImportOptions,
  names: CommandNames,
): Promise<void> {
  const { freshnessLine, contentDate } = await import('@docyard/bundle');
  const now = new Date();
  const freshness = freshnessLine(release, now);
  const isOlder = release.committedAt !== null && release.committedAt < (replaced?.committedAt ?? '');
  const before = replaced === undefined ? 'the first release' : `replaces ${contentDate(replaced, now)}`;
  const answer = {
    release,
    replaced: replaced ?? null,
    appliedTo: appliedTo ?? null,
    outcome,
    isOlder,
    isServed,
    freshness,
  };
  const state = isServed ? 'is served now' : 'is installed';
  const advice = isServed ? '' : ` No server is running on this folder: ${names.site} serves it.`;
  const sentence =
    outcome === 'same'
      ? `${release.id} was installed already: ${freshness}.${advice}`
      : `${release.id} ${state}: ${freshness}; ${before}.${advice}`;
  process.stdout.write(options.json ? `${JSON.stringify(answer, null, 2)}\n` : `${sentence}\n`);
  if (isOlder)
    process.stderr.write(
      `${names.program}: this content is older than the release it replaces. Undo with: ${names.site} rollback ${replaced?.id}\n`,
    );
  if (release.signedBy === null)
    process.stderr.write(`${names.program}: the signature was not verified; pass --public-key.\n`);
}

/** Flags override the settings, and a settings file is optional. */
async function installationOfImport(options: ImportOptions): Promise<Installation> {
  const { config: file, data, site: name, publicKey, version, sha256 } = options;
  const [{ readSettings }, { publicKeysOf }, { expectationsOf }] = await Promise.all([
    import('../settings/settings.ts'),
    import('../settings/keys.ts'),
    import('../refresh/refresh-source.ts'),
  ]);
  try {
    const flags = data === undefined ? {} : { data };
    const settings = readSettings({ file, environment: process.env, flags });
    const ofSite = settings.sites?.find((site) => site.name === name)?.settings ?? settings;
    if (ofSite instanceof Error) throw ofSite;
    const { staticExport } = ofSite;
    const expected = {
      ...staticExport,
      // `staticExport.sha256` applies to the fetched file, not to an imported one.
      sha256: sha256?.toLowerCase() ?? null,
      ...(publicKey === undefined ? {} : { publicKeys: publicKeysOf(publicKey) }),
      ...(version === undefined ? {} : { version }),
    };
    return { expectations: expectationsOf(expected), contentKey: staticExport.contentKey };
  } catch (error) {
    throw explained(error);
  }
}

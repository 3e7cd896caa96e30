/**
 * `docyard bundle import`: brings a bundle or a delta that was carried here into a deployment, without any network.
 */
import type { Command } from 'commander';
import { describeApply } from './bundle-apply.ts';
import type { Installed } from '../deployments/install.ts';
import { CommandError } from './errors.ts';
import { dataFolderOf, explained } from './site.ts';

interface ImportOptions {
  config?: string;
  data?: string;
  publicKey?: string[];
  version?: string;
  sha256?: string;
  json?: boolean;
}

export function describeBundle(command: Command): void {
  command.description('Work with bundle files that were carried here by hand.');
  command
    .command('import')
    .description('Verify a bundle or a delta without a network, install it and serve it at once.')
    .argument('<file>', 'the archive')
    .option('-c, --config <file>', 'settings of the deployment: folder, keys, version')
    .option('-d, --data <folder>', 'folder of the deployment (default: ./site-data)')
    .option('--public-key <key...>', 'keys, or files of keys, one of which must have signed it')
    .option('--version <version>', 'the version that it must have')
    .option('--sha256 <hash>', 'the SHA-256 that the file must have')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      [
        '',
        'Examples:',
        '  docyard bundle import bundle.tar.gz --public-key docyard.pub',
        '  docyard bundle import delta.tar.gz --data /var/lib/docyard-site --version 2.1',
      ].join('\n'),
    )
    .action(importBundle);
  describeApply(command.command('apply'));
}

async function importBundle(file: string, options: ImportOptions): Promise<void> {
  const [{ install }, { ReleaseStore }, { access }, { resolve }] = await Promise.all([
    import('../deployments/install.ts'),
    import('../deployments/store.ts'),
    import('node:fs/promises'),
    import('node:path'),
  ]);
  await access(file).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(`${file} cannot be read (${error.code}).`, 'not_found');
  });
  const expectations = await expectationsOfImport(options);
  const store = await ReleaseStore.openIn(await dataFolderOf(options));
  try {
    const arrival = { file, origin: resolve(file), fingerprint: null, jobId: null };
    const installed = await install(store, arrival, { expectations });
    // How many releases are kept is for the deployment to say; this removes only what others left unfinished.
    await store.sweep(Number.POSITIVE_INFINITY);
    const { runningProcesses } = await import('../deployments/processes.ts');
    await tell(installed, (await runningProcesses(store.folder)).length > 0, options);
  } catch (error) {
    throw explained(error);
  } finally {
    await store.close();
  }
}

async function tell(
  { release, replaced, outcome, appliedTo }: Installed,
  isServed: boolean,
  options: ImportOptions,
): Promise<void> {
  const { freshnessLine, contentDate } = await import('@docyard/bundle');
  const now = new Date();
  const freshness = freshnessLine(release, now);
  const isOlder = release.committedAt !== null && release.committedAt < (replaced?.committedAt ?? '');
  const before = replaced === undefined ? 'the first one here' : `replaces ${contentDate(replaced, now)}`;
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
  const advice = isServed ? '' : ' No server is running on this folder: docyard site serves it.';
  const sentence =
    outcome === 'same'
      ? `${release.id} was installed already: ${freshness}.${advice}`
      : `${release.id} ${state}: ${freshness}; ${before}.${advice}`;
  process.stdout.write(options.json ? `${JSON.stringify(answer, null, 2)}\n` : `${sentence}\n`);
  if (isOlder)
    process.stderr.write(
      `docyard: this content is older than what it replaces. docyard site rollback ${replaced?.id} brings that back.\n`,
    );
  if (release.signedBy === null)
    process.stderr.write('docyard: the signature was not verified; pass --public-key.\n');
}

/** Flags say what counts; without a settings file nothing else is needed. */
async function expectationsOfImport({ config: file, data, publicKey, version, sha256 }: ImportOptions) {
  const [{ readSettings }, { publicKeysOf }, { expectationsOf }] = await Promise.all([
    import('../deployments/settings.ts'),
    import('../deployments/given-keys.ts'),
    import('../deployments/taking.ts'),
  ]);
  try {
    const flags = data === undefined ? {} : { data };
    const { staticExport } = readSettings({ file, environment: process.env, flags });
    const expected = {
      ...staticExport,
      // Of the file that is fetched, not of one that was carried here.
      sha256: sha256?.toLowerCase() ?? null,
      ...(publicKey === undefined ? {} : { publicKeys: publicKeysOf(publicKey) }),
      ...(version === undefined ? {} : { version }),
    };
    return expectationsOf(expected);
  } catch (error) {
    throw explained(error);
  }
}

/**
 * The command line. Only the requested command is loaded, because loading all of them is slow. Expected errors end
 * with a message and a status of `cli/exit.ts`.
 */
import { Command, CommanderError } from 'commander';
import { usageMessage } from '@docyard/site/command';
import { withoutAlias } from './cli/aliases.ts';
import { exitTable } from './cli/exit.ts';
import { refuseMistypedSubcommand } from './cli/mistyped-subcommand.ts';
import { version } from './version.ts';

export async function main(args: string[]): Promise<number> {
  if (args.length === 0) {
    process.stdout.write(overview());
    return exitTable.ok.status;
  }
  const { words, debug } = withoutDebug(args);
  const wanted = withoutAlias(withoutHelpCommand(words));
  const json = wanted.slice(0, wanted.indexOf('--') >>> 0).includes('--json');
  try {
    const program = await buildProgram(wanted.find((word) => !word.startsWith('-')) ?? '');
    refuseMistypedSubcommand(program, wanted);
    await program.parseAsync(wanted, { from: 'user' });
    return process.exitCode === undefined ? exitTable.ok.status : Number(process.exitCode);
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      const { explain } = await import('./cli/explain.ts');
      return explain(error, { json, debug });
    }
    if (error.exitCode === 0) return exitTable.ok.status;
    const message = usageMessage(error.message);
    if (json) process.stdout.write(`${JSON.stringify({ ok: false, code: 'usage', message })}\n`);
    return exitTable.usage.status;
  }
}

/** Every command with its options, or only the named one. Tests compare the manual and completions with it. */
export async function buildProgram(named?: string): Promise<Command> {
  const program = new Command('docyard')
    .description('Self-hosted documentation: static exports, deployments and agent jobs.')
    .usage('<command> [options]')
    // A command may have a `--version` option of another meaning.
    .enablePositionalOptions()
    .version(version, '-V, --version', 'print the version')
    .option('--debug', 'show a stack trace with an error (accepted by every command)')
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .configureHelp({ sortSubcommands: false })
    .configureOutput({
      outputError: (text, write) => write(`docyard: ${usageMessage(text)} Run with --help for usage.\n`),
    })
    .addHelpText('after', '\nRun docyard help <command> for details.')
    .exitOverride();
  for (const [name, { group, summary, hidden = false, load }] of Object.entries(commands)) {
    const command = new Command(name)
      .copyInheritedSettings(program)
      .helpGroup(`${group}:`)
      .helpCommand(false);
    if (named === undefined || named === name) (await load())(command);
    program.addCommand(command.summary(summary), { hidden });
  }
  return program;
}

function withoutDebug(args: string[]): { words: string[]; debug: boolean } {
  const end = args.indexOf('--') >>> 0;
  const words = args.filter((word, index) => index > end || word !== '--debug');
  return { words, debug: words.length < args.length || process.env['DEBUG'] !== undefined };
}

function withoutHelpCommand(args: string[]): string[] {
  const [first, ...words] = args;
  if (first !== 'help') return args;
  const rest = withoutAlias(words);
  const isKnown = rest[0] === undefined || Object.hasOwn(commands, rest[0]);
  return isKnown ? [...rest, '--help'] : rest;
}

interface CommandEntry {
  group:
    | 'Documentation'
    | 'Bundles and deployments'
    | 'A running service'
    | 'Operating a service'
    | 'This program';
  summary: string;
  hidden?: true;
  load: () => Promise<(command: Command) => void>;
}

const siteCommandNames = {
  program: 'docyard',
  site: 'docyard site',
  import: 'docyard bundle import',
};

const commands: Record<string, CommandEntry> = {
  init: {
    group: 'Documentation',
    summary: 'create a small site to start from',
    load: async () => (await import('./cli/init.ts')).describeInit,
  },
  build: {
    group: 'Documentation',
    summary: 'render a folder into static files',
    load: async () => (await import('./cli/build.ts')).describeBuild,
  },
  dev: {
    group: 'Documentation',
    summary: 'preview a folder in the browser while you write',
    load: async () => (await import('./cli/dev.ts')).describeDev,
  },
  check: {
    group: 'Documentation',
    summary: 'report problems in a folder',
    load: async () => (await import('./cli/check.ts')).describeCheck,
  },
  report: {
    group: 'Documentation',
    summary: 'convert the findings of an export to another format',
    load: async () => (await import('./cli/report.ts')).describeReport,
  },
  export: {
    group: 'Documentation',
    summary: 'export a folder, or a project of a service, to a bundle',
    load: async () => (await import('./cli/export.ts')).describeExport,
  },
  verify: {
    group: 'Bundles and deployments',
    summary: 'check a bundle or an unpacked site, offline',
    load: async () => (await import('./cli/verify.ts')).describeVerify,
  },
  diff: {
    group: 'Bundles and deployments',
    summary: 'compare the pages of two exports',
    load: async () => (await import('./cli/diff.ts')).describeDiff,
  },
  'signing-key': {
    group: 'Bundles and deployments',
    summary: 'create the key that signs bundles, show its public key',
    load: async () => (await import('./cli/signing-key.ts')).describeSigningKey,
  },
  'content-key': {
    group: 'Bundles and deployments',
    summary: 'create or show the key that seals pages for groups',
    load: async () => (await import('./cli/content-key.ts')).describeContentKey,
  },
  bundle: {
    group: 'Bundles and deployments',
    summary: 'import a transferred bundle into a deployment',
    load: async () => {
      const { describeBundle } = await import('./cli/bundle.ts');
      return (command) => describeBundle(command, siteCommandNames);
    },
  },
  site: {
    group: 'Bundles and deployments',
    summary: 'serve an exported site and keep it up to date',
    load: async () => {
      const { describeSite } = await import('@docyard/site/command');
      return (command) => describeSite(command, siteCommandNames);
    },
  },
  open: {
    group: 'Bundles and deployments',
    summary: 'open an exported site in the browser',
    load: async () => (await import('./cli/open.ts')).describeOpen,
  },
  agent: {
    group: 'A running service',
    summary: 'start, follow, steer and stop agent jobs',
    load: async () => (await import('./cli/agent.ts')).describeAgent,
  },
  deployments: {
    group: 'A running service',
    summary: 'list reporting sites and roll them back',
    load: async () => (await import('./cli/deployments.ts')).describeDeployments,
  },
  events: {
    group: 'A running service',
    summary: 'receive pushes from a forge: the hook, its events, replay',
    load: async () => (await import('./cli/events.ts')).describeEvents,
  },
  automations: {
    group: 'A running service',
    summary: 'start agent jobs when something happens: test, list, run, pause',
    load: async () => (await import('./cli/automations.ts')).describeAutomations,
  },
  'pull-requests': {
    group: 'A running service',
    summary: 'list previews of pull requests, approve commits of forks, build again',
    load: async () => (await import('./cli/pull-requests.ts')).describePullRequests,
  },
  mcp: {
    group: 'A running service',
    summary: 'expose a service to editors and agents as MCP tools',
    load: async () => (await import('./cli/mcp.ts')).describeMcp,
  },
  login: {
    group: 'A running service',
    summary: 'store the key of a service',
    load: async () => (await import('./cli/login.ts')).describeLogin,
  },
  logout: {
    group: 'A running service',
    summary: 'delete the stored key of a service',
    load: async () => (await import('./cli/login.ts')).describeLogout,
  },
  whoami: {
    group: 'A running service',
    summary: 'show which service and key are used',
    load: async () => (await import('./cli/login.ts')).describeWhoami,
  },
  serve: {
    group: 'Operating a service',
    summary: 'run the service: API, worker, start page and manual',
    load: async () => (await import('./cli/serve.ts')).describeServe,
  },
  keys: {
    group: 'Operating a service',
    summary: 'list, create, roll and revoke API keys',
    load: async () => (await import('./cli/keys.ts')).describeKeys,
  },
  users: {
    group: 'Operating a service',
    summary: 'list, invite, create and remove users, set their passwords',
    load: async () => (await import('./cli/users.ts')).describeUsers,
  },
  projects: {
    group: 'Operating a service',
    summary: 'list, create, change and delete projects',
    load: async () => (await import('./cli/projects.ts')).describeProjects,
  },
  orgs: {
    group: 'Operating a service',
    summary: 'list and create organizations, change their plan',
    load: async () => (await import('./cli/orgs.ts')).describeOrgs,
  },
  webhooks: {
    group: 'Operating a service',
    summary: 'list, create, delete and test webhooks',
    load: async () => (await import('./cli/webhooks.ts')).describeWebhooks,
  },
  secrets: {
    group: 'Operating a service',
    summary: 'rotate the secret key, show which keys are in use',
    load: async () => (await import('./cli/secrets.ts')).describeSecrets,
  },
  doctor: {
    group: 'Operating a service',
    summary: 'check everything the service depends on',
    load: async () => (await import('./cli/doctor.ts')).describeDoctor,
  },
  backup: {
    group: 'Operating a service',
    summary: 'write a data folder to one file',
    load: async () => (await import('./cli/backup.ts')).describeBackup,
  },
  restore: {
    group: 'Operating a service',
    summary: 'restore a data folder from a backup',
    load: async () => (await import('./cli/backup.ts')).describeRestore,
  },
  migrate: {
    group: 'Operating a service',
    summary: 'apply pending database migrations',
    load: async () => (await import('./cli/migrate.ts')).describeMigrate,
  },
  'migrate-data': {
    group: 'Operating a service',
    summary: 'copy everything from SQLite to PostgreSQL',
    load: async () => (await import('./cli/migrate-data.ts')).describeMigrateData,
  },
  completion: {
    group: 'This program',
    summary: 'complete commands and options in a shell',
    load: async () => (await import('./cli/completion.ts')).describeCompletion,
  },
  'openapi-check': {
    group: 'Documentation',
    summary: 'report problems in an API description',
    hidden: true,
    load: async () => (await import('./cli/openapi-check.ts')).describeOpenapiCheck,
  },
};

function overview(): string {
  const groups = Map.groupBy(
    Object.entries(commands).filter(([, { hidden }]) => hidden !== true),
    ([, { group }]) => group,
  );
  const width = Math.max(...[...groups.keys()].map((group) => group.length));
  const lines = [...groups].map(
    ([group, entries]) => `  ${group.padEnd(width)}  ${entries.map(([name]) => name).join(' ')}`,
  );
  return `
  Docyard ${version}: self-hosted documentation

  docyard init ./docs    create a small site to start from
  docyard dev ./docs     preview it while you write
  docyard check ./docs   report problems
  docyard export ./docs  create a bundle that can be served anywhere

${lines.join('\n')}

  Run docyard --help for a summary of each command.

`;
}

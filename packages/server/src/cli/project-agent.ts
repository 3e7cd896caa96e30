/**
 * `docyard projects agent`: what a project keeps for agent jobs, straight on the data folder. Secrets are read from files
 * or from standard input, never from arguments, which other people of the machine can see.
 */
import { readFileSync } from 'node:fs';
import { forgeKinds, modelProviders, UpdateProject, type Project, type SetProjectAgent } from '@docyard/api';
import { Option, type Command } from 'commander';
import { CommandError } from './errors.ts';
import {
  addLocalOptions,
  check,
  chooseOrganization,
  operatorOf,
  withData,
  type LocalOptions,
} from './local.ts';

type Settings = Project['agent'];
type Forge = NonNullable<SetProjectAgent['forge']>;

interface AgentOptions extends LocalOptions {
  /** False for `--no-forge`, and so on. */
  forge?: string | false;
  apiBase?: string;
  tokenFile?: string;
  username?: string;
  appId?: string;
  appKeyFile?: string;
  installationId?: string;
  credential: boolean;
  model?: string | false;
  modelUrl?: string;
  modelProvider?: string;
  modelKeyFile?: string;
  modelKey: boolean;
  limit?: string[];
  limits: boolean;
  protect?: string[] | false;
  allowPath?: string[] | false;
  allowKey?: string[] | false;
  instructionsFile?: string;
  instructions: boolean;
}

export function describeProjectAgent(command: Command): void {
  addLocalOptions(
    command
      .description('Show what a project keeps for agent jobs, or change it.')
      .argument('<project>', 'id of the project, such as pr_…, or its domain'),
  )
    .addOption(new Option('--forge <kind>', 'where the repository is').choices(forgeKinds))
    .option('--no-forge', 'find the forge by the address of the repository again')
    .option('--api-base <url>', 'address of its API, when that is not in the usual place')
    .option('--token-file <file>', 'access token for the forge; - reads standard input')
    .option('--username <name>', 'user that the token belongs to, where the forge wants one')
    .option('--app-id <id>', 'GitHub App in place of a token')
    .option('--app-key-file <file>', 'private key of the App (PEM); - reads standard input')
    .option('--installation-id <id>', 'installation of the App (default: found by the repository)')
    .option('--no-credential', 'forget the credential')
    .option('--model <name>', 'name of the model')
    .option('--no-model', 'use the endpoint of the installation again')
    .option('--model-url <url>', 'address of the model endpoint')
    .addOption(new Option('--model-provider <name>', 'how the endpoint is spoken to').choices(modelProviders))
    .option('--model-key-file <file>', 'key of the endpoint; - reads standard input')
    .option('--no-model-key', 'forget the key of the endpoint')
    .option('--limit <name=number...>', 'limits of a run, such as steps=40 minutes=10')
    .option('--no-limits', 'use the usual limits again')
    .option('--protect <pattern...>', 'what no job may change; replaces what was named before')
    .option('--no-protect', 'protect only what always is')
    .option('--allow-path <pattern...>', 'files that jobs may change although they are protected')
    .option('--no-allow-path', 'open no protected file')
    .option('--allow-key <key...>', 'keys of docs.json that jobs may change although they are protected')
    .option('--no-allow-key', 'open no protected key')
    .option('--instructions-file <file>', 'what every job is told; - reads standard input')
    .option('--no-instructions', 'tell jobs nothing more')
    .addHelpText(
      'after',
      `
Examples:
  docyard projects agent docs.example.com
  docyard projects agent docs.example.com --forge gitlab --token-file ./token
  pass show forge/token | docyard projects agent docs.example.com --token-file -
  docyard projects agent docs.example.com --protect legal --allow-path "snippets/**"
`,
    )
    .action(showOrChange);
}

async function showOrChange(named: string, options: AgentOptions): Promise<void> {
  await withData(options, async (context) => {
    const { findProject } = await import('../projects/find-project.ts');
    const { readProject, updateProject } = await import('../projects/projects.ts');
    const organization = await chooseOrganization(context, options.org);
    const actor = operatorOf(organization);
    const where = named.startsWith('pr_') ? { id: named } : { domain: named.toLowerCase() };
    const { id: projectId } = await findProject(context, { ...where, reach: actor });
    const project = await readProject(context, { projectId, reach: actor });
    const agent = changeOf(options, project.agent);
    if (Object.keys(agent).length === 0) return show(options, project.agent);
    const changed = await updateProject(context, {
      projectId,
      change: check(UpdateProject, { agent }),
      actor,
      allowLocal: organization.local_sources === 1,
    });
    show(options, changed.agent);
  });
}

/** Only what was asked for. The API replaces parts as a whole, so that a part is made up from what is kept. */
function changeOf(options: AgentOptions, kept: Settings): Record<string, unknown> {
  const instructions = options.instructionsFile ?? (options.instructions ? undefined : null);
  return definedOnly({
    forge: forgeOf(options, kept.forge),
    model: modelOf(options, kept.model),
    limits: limitsOf(options, kept.limits),
    protectedPaths: listOf(options.protect),
    allowedPaths: listOf(options.allowPath),
    allowedConfigKeys: listOf(options.allowKey),
    instructions: instructions ? textIn(instructions, '--instructions-file') : instructions,
  });
}

function forgeOf(options: AgentOptions, kept: Settings['forge']): unknown {
  if (options.forge === false) return null;
  const credential = options.credential ? credentialOf(options) : null;
  const kind = options.forge;
  if (kind === undefined && options.apiBase === undefined && credential === undefined) return undefined;
  if (kind === undefined && kept === null) {
    throw new CommandError(
      `The project names no forge yet: give --forge too (${forgeKinds.join(', ')}).`,
      'usage',
    );
  }
  // Another kind of forge has its API elsewhere.
  const apiBase = options.apiBase ?? (kind === undefined || kind === kept?.kind ? kept?.apiBase : null);
  return definedOnly({ kind: kind ?? kept?.kind, apiBase: apiBase ?? null, credential });
}

function credentialOf(options: AgentOptions): Forge['credential'] {
  const { tokenFile, username, appId, appKeyFile, installationId } = options;
  if (tokenFile !== undefined) {
    if (appId !== undefined || appKeyFile !== undefined) {
      throw new CommandError('Give either --token-file or --app-id with --app-key-file.', 'usage');
    }
    const token = textIn(tokenFile, '--token-file').trim();
    return { type: 'token', token, ...(username === undefined ? {} : { username }) };
  }
  if (username !== undefined)
    throw new CommandError('--username belongs to --token-file: give that too.', 'usage');
  if (appId === undefined && appKeyFile === undefined && installationId === undefined) return undefined;
  if (appId === undefined || appKeyFile === undefined) {
    throw new CommandError('A GitHub App needs both --app-id and --app-key-file.', 'usage');
  }
  const privateKey = textIn(appKeyFile, '--app-key-file');
  return { type: 'app', appId, privateKey, ...(installationId === undefined ? {} : { installationId }) };
}

function modelOf(options: AgentOptions, kept: Settings['model']): unknown {
  if (options.model === false) return null;
  const { model: name, modelUrl: url, modelProvider: provider, modelKeyFile } = options;
  const key =
    modelKeyFile === undefined
      ? options.modelKey
        ? undefined
        : null
      : textIn(modelKeyFile, '--model-key-file').trim();
  if ([name, url, provider, key].every((given) => given === undefined)) return undefined;
  const wanted = { name: name ?? kept?.name, url: url ?? kept?.url };
  if (wanted.name === undefined || wanted.url === undefined) {
    throw new CommandError(
      'The project has no model endpoint of its own yet: give --model-url and --model.',
      'usage',
    );
  }
  return definedOnly({ ...wanted, provider: provider ?? kept?.provider ?? modelProviders[0], key });
}

function limitsOf(options: AgentOptions, kept: Settings['limits']): unknown {
  if (!options.limits) return null;
  if (options.limit === undefined) return undefined;
  const given = options.limit.map((text) => {
    const [, name, number] = /^([a-zA-Z]+)=(\d{1,9})$/.exec(text) ?? [];
    if (name === undefined) throw new CommandError(`--limit ${text}: write it as name=number.`, 'usage');
    return [name, Number(number)] as const;
  });
  return { ...kept, ...Object.fromEntries(given) };
}

function listOf(given: string[] | false | undefined): string[] | undefined {
  return given === false ? [] : given;
}

function textIn(file: string, option: string): string {
  let text: string;
  try {
    text = readFileSync(file === '-' ? 0 : file, 'utf8');
  } catch (error) {
    throw new CommandError(`${option} ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`);
  }
  if (text.trim() === '') throw new CommandError(`${option} ${file} is empty.`);
  return text;
}

function show(options: LocalOptions, settings: Settings): void {
  process.stdout.write(options.json ? `${JSON.stringify(settings, null, 2)}\n` : described(settings));
}

function described({ forge, model, limits, instructions, ...lists }: Settings): string {
  const secret = (is: { set: boolean }, what: string) => (is.set ? `${what} set` : `no ${what}`);
  const list = (items: string[]) => (items.length === 0 ? 'none' : items.join(', '));
  const given = Object.entries(limits).map(([name, value]) => `${name}=${value}`);
  const lines: [string, string][] = [
    [
      'forge',
      forge === null
        ? 'found by the address of the repository'
        : [forge.kind, forge.apiBase, secret(forge.credential, 'credential')].filter(Boolean).join(', '),
    ],
    [
      'model',
      model === null
        ? 'that of the installation'
        : `${model.name} at ${model.url} (${model.provider}), ${secret(model.key, 'key')}`,
    ],
    ['limits', given.length === 0 ? 'the usual ones' : given.join(' ')],
    ['protected paths', list(lists.protectedPaths)],
    ['allowed paths', list(lists.allowedPaths)],
    ['allowed keys', list(lists.allowedConfigKeys)],
    ['instructions', instructions ?? 'none'],
  ];
  return lines.map(([name, value]) => `${name.padEnd(16)}${value}\n`).join('');
}

function definedOnly(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined));
}

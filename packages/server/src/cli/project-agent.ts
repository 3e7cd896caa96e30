/**
 * `docyard projects agent`: the agent settings of a project, directly in the database. Secrets are read from files or
 * standard input, because other users of the machine can read arguments.
 */
import { agentEngines, forgeKinds, UpdateProject, type Project, type SetProjectAgent } from '@docyard/api';
import { Option, type Command } from 'commander';
import { CommandError } from './errors.ts';
import { definedOnly, jsonIn, listOf, numbersIn, shownList, textIn } from './option-values.ts';
import {
  addGitOptions,
  describedGit,
  gitOf,
  gitOptionOfField,
  pullRequestOf,
  type GitOptions,
} from './project-git.ts';
import { addModelOptions, describedModel, modelOf, type ModelOptions } from './project-model.ts';
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

/** The options by the field of the API that they set. */
const optionOfField = {
  url: 'model-url',
  name: 'model',
  provider: 'model-provider',
  key: 'model-key-file',
  headers: 'model-headers-file',
  body: 'model-body-file',
  apiBase: 'api-base',
  fork: 'fork',
  token: 'token-file',
  appId: 'app-id',
  privateKey: 'app-key-file',
  installationId: 'installation-id',
  limits: 'limit',
  protectedPaths: 'protect',
  allowedPaths: 'allow-path',
  allowedConfigKeys: 'allow-key',
  instructions: 'instructions-file',
  contextRepositories: 'context-file',
  ...gitOptionOfField,
};

const evidenceChoices: Readonly<Record<string, boolean | null>> = { always: true, never: false, auto: null };

interface AgentOptions extends LocalOptions, ModelOptions, GitOptions {
  /** False for `--no-engine`; likewise below. */
  engine?: string | false;
  forge?: string | false;
  apiBase?: string;
  fork?: string | false;
  tokenFile?: string;
  username?: string;
  appId?: string;
  appKeyFile?: string;
  installationId?: string;
  credential: boolean;
  limit?: string[];
  limits: boolean;
  protect?: string[] | false;
  allowPath?: string[] | false;
  allowKey?: string[] | false;
  instructionsFile?: string;
  instructions: boolean;
  contextFile?: string;
  context: boolean;
  requireEvidence?: string;
}

export function describeProjectAgent(command: Command): void {
  addLocalOptions(
    command
      .description('Show or change the agent settings of a project.')
      .argument('<project>', 'project id, such as pr_…, or domain'),
  )
    .addOption(new Option('--engine <name>', 'what edits the files').choices(agentEngines))
    .option('--no-engine', 'use the default engine of the installation again')
    .addOption(new Option('--forge <kind>', 'kind of git host').choices(forgeKinds))
    .option('--no-forge', 'detect the forge from the repository URL again')
    .option('--api-base <url>', 'URL of the API, if not the default')
    .option('--fork <fork>', 'push branches to this fork: auto, a namespace or a URL')
    .option('--no-fork', 'push branches to the repository itself')
    .option('--token-file <file>', 'access token for the forge; - reads standard input')
    .option('--username <name>', 'user of the token, if the forge requires one')
    .option('--app-id <id>', 'GitHub App instead of a token')
    .option('--app-key-file <file>', 'private key of the App (PEM); - reads standard input')
    .option('--installation-id <id>', 'installation of the App (default: detected from the repository)')
    .option('--no-credential', 'delete the credential');
  addGitOptions(addModelOptions(command))
    .option('--limit <name=number...>', 'limits of a run, such as steps=40 minutes=10')
    .option('--no-limits', 'use the default limits again')
    .option('--protect <pattern...>', 'files that no job may change; replaces the previous list')
    .option('--no-protect', 'protect only the default files')
    .option('--allow-path <pattern...>', 'protected files that jobs may change anyway')
    .option('--no-allow-path', 'allow no protected file')
    .option('--allow-key <key...>', 'protected docs.json keys that jobs may change anyway')
    .option('--no-allow-key', 'allow no protected key')
    .option('--instructions-file <file>', 'instructions for every job; - reads standard input')
    .option('--no-instructions', 'delete the instructions')
    .option('--context-file <file>', 'context repositories, as a JSON list; - reads standard input')
    .option('--no-context', 'remove the context repositories')
    .addOption(
      new Option('--require-evidence <when>', 'whether changed pages need evidence').choices(
        Object.keys(evidenceChoices),
      ),
    )
    .addHelpText(
      'after',
      `
Examples:
  docyard projects agent docs.example.com
  docyard projects agent docs.example.com --engine external
  docyard projects agent docs.example.com --forge gitlab --token-file ./token
  pass show forge/token | docyard projects agent docs.example.com --token-file -
  docyard projects agent docs.example.com --author "Docs team <docs@example.com>" --label documentation
  docyard projects agent docs.example.com --protect legal --allow-path "snippets/**"
`,
    )
    .action(showOrChange);
}

async function showOrChange(idOrDomain: string, options: AgentOptions): Promise<void> {
  await withData(options, async (context) => {
    const { findProject } = await import('../projects/find-project.ts');
    const { readProject, updateProject } = await import('../projects/projects.ts');
    const organization = await chooseOrganization(context, options.org);
    const actor = operatorOf(organization);
    const where = idOrDomain.startsWith('pr_') ? { id: idOrDomain } : { domain: idOrDomain.toLowerCase() };
    const { id: projectId } = await findProject(context, { ...where, reach: actor });
    const project = await readProject(context, { projectId, reach: actor });
    const agent = changeOf(options, project.agent);
    if (Object.keys(agent).length === 0) return show(options, project.agent);
    const changed = await updateProject(context, {
      projectId,
      change: check(UpdateProject, { agent }, optionOfField),
      actor,
      allowLocal: organization.local_sources === 1,
    });
    show(options, changed.agent);
  });
}

/** Only the given options. The API replaces a part as a whole, so it is completed from the stored settings. */
function changeOf(options: AgentOptions, stored: Settings): Record<string, unknown> {
  const instructions = options.instructionsFile ?? (options.instructions ? undefined : null);
  return definedOnly({
    engine: options.engine === false ? null : options.engine,
    forge: forgeOf(options, stored.forge),
    model: modelOf(options, stored.model),
    git: gitOf(options),
    pullRequest: pullRequestOf(options),
    limits: limitsOf(options, stored.limits),
    protectedPaths: listOf(options.protect),
    allowedPaths: listOf(options.allowPath),
    allowedConfigKeys: listOf(options.allowKey),
    instructions: instructions ? textIn(instructions, '--instructions-file') : instructions,
    contextRepositories: contextOf(options),
    requireEvidence: options.requireEvidence && evidenceChoices[options.requireEvidence],
  });
}

function contextOf({ contextFile, context }: AgentOptions): unknown {
  if (!context) return [];
  return contextFile === undefined
    ? undefined
    : jsonIn(textIn(contextFile, '--context-file'), '--context-file');
}

function forgeOf(options: AgentOptions, stored: Settings['forge']): unknown {
  if (options.forge === false) return null;
  const credential = options.credential ? credentialOf(options) : null;
  const kind = options.forge;
  const given = [kind, options.apiBase, options.fork, credential];
  if (given.every((option) => option === undefined)) return undefined;
  if (kind === undefined && stored === null) {
    throw new CommandError(
      `The project has no forge. Also pass --forge (${forgeKinds.join(', ')}).`,
      'usage',
    );
  }
  // Another kind of forge has another API URL and other forks.
  const kept = kind === undefined || kind === stored?.kind ? stored : null;
  const apiBase = options.apiBase ?? kept?.apiBase ?? null;
  const fork = options.fork === false ? null : (options.fork ?? kept?.fork ?? null);
  return definedOnly({ kind: kind ?? stored?.kind, apiBase, fork, credential });
}

function credentialOf(options: AgentOptions): Forge['credential'] {
  const { tokenFile, username, appId, appKeyFile, installationId } = options;
  if (tokenFile !== undefined) {
    if (appId !== undefined || appKeyFile !== undefined) {
      throw new CommandError('Pass either --token-file or --app-id with --app-key-file.', 'usage');
    }
    const token = textIn(tokenFile, '--token-file').trim();
    return { type: 'token', token, ...(username === undefined ? {} : { username }) };
  }
  if (username !== undefined) throw new CommandError('--username needs --token-file. Pass both.', 'usage');
  if (appId === undefined && appKeyFile === undefined && installationId === undefined) return undefined;
  if (appId === undefined || appKeyFile === undefined) {
    throw new CommandError('A GitHub App needs both --app-id and --app-key-file.', 'usage');
  }
  const privateKey = textIn(appKeyFile, '--app-key-file');
  return { type: 'app', appId, privateKey, ...(installationId === undefined ? {} : { installationId }) };
}

function limitsOf(options: AgentOptions, stored: Settings['limits']): unknown {
  if (!options.limits) return null;
  const given = numbersIn(options.limit, '--limit');
  return given && { ...stored, ...given };
}

function describedRepository({
  name,
  repository,
  credential,
}: Settings['contextRepositories'][number]): string {
  return `${name} (${repository}${credential.set ? ', credential set' : ''})`;
}

function show(options: LocalOptions, settings: Settings): void {
  process.stdout.write(options.json ? `${JSON.stringify(settings, null, 2)}\n` : described(settings));
}

function described(settings: Settings): string {
  const { engine, forge, model, git, limits, instructions, contextRepositories, requireEvidence, ...lists } =
    settings;
  const secret = (is: { set: boolean }, what: string) => (is.set ? `${what} set` : `no ${what}`);
  const given = Object.entries(limits).map(([name, value]) => `${name}=${value}`);
  const lines: [string, string][] = [
    ['engine', engine ?? 'default of the installation'],
    [
      'forge',
      forge === null
        ? 'detected from the repository URL'
        : [
            forge.kind,
            forge.apiBase,
            forge.fork && `fork ${forge.fork}`,
            secret(forge.credential, 'credential'),
          ]
            .filter(Boolean)
            .join(', '),
    ],
    [
      'model',
      model === null
        ? 'default of the installation'
        : `${model.name} at ${model.url} (${model.provider}), ${secret(model.key, 'key')}`,
    ],
    ...(model === null ? [] : describedModel(model)),
    ...describedGit(settings),
    ['limits', given.length === 0 ? 'default' : given.join(' ')],
    ['protected paths', shownList(lists.protectedPaths)],
    ['allowed paths', shownList(lists.allowedPaths)],
    ['allowed keys', shownList(lists.allowedConfigKeys)],
    ['instructions', instructions ?? 'none'],
    ['context', shownList(contextRepositories.map(describedRepository))],
    [
      'evidence',
      { true: 'required', false: 'optional', null: 'required with context repositories' }[
        `${requireEvidence}`
      ],
    ],
  ];
  const { publicKey } = git.signingKey;
  const table = lines.map(([name, value]) => `${name.padEnd(16)}${value}\n`).join('');
  return publicKey === null ? table : `${table}\n${publicKey}\n`;
}

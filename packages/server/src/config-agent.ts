/** Settings of external agents: what their process gets besides its command. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import { ConfigError } from '@docyard/site/errors';
import { z } from 'zod';
import { contains } from './folder-contains.ts';

/** The sandbox needs its own values of these. */
const sandboxVariables: ReadonlySet<string> = new Set(['PATH', 'HOME', 'LD_PRELOAD', 'LD_LIBRARY_PATH']);

/** Pairs in the form `NAME=value,NAME=value`. `%2C` in a value is a comma, and `!` overrides the sandbox. */
export function environmentOf(text: string, context: z.RefinementCtx): Record<string, string> {
  const environment: Record<string, string> = {};
  for (const pair of text.split(',').filter((part) => part.trim() !== '')) {
    const end = pair.indexOf('=');
    const written = pair.slice(0, Math.max(0, end)).trim();
    const name = written.replace(/^!/, '');
    const problem = problemOf(written, name, environment);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    environment[name] = pair.slice(end + 1).replaceAll(/%2c/gi, ',');
  }
  return environment;
}

function problemOf(written: string, name: string, known: Record<string, string>): string | undefined {
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    return 'must be NAME=value pairs separated by commas. Write %2C for a comma in a value';
  }
  if (sandboxVariables.has(name) && written === name) {
    return `the sandbox sets ${name} itself. Write !${name} to override it`;
  }
  return Object.hasOwn(known, name) ? `${name} is set twice. Remove one of the two` : undefined;
}

/** Mounting these over the sandbox would break it. */
const sandboxFolders = ['/proc', '/sys', '/dev', '/tmp', '/site', '/home/agent', '/run/docyard'];
const kernelFolders = ['/proc', '/sys', '/dev'];

/** Folders of the system in which sandboxed programs run, besides `/usr`. */
export const systemFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64'];

const maxArguments = 20;
const runners = z.record(
  z.string().regex(/^[a-z0-9_+#.-]{1,40}$/, 'a language is written in lower case, as in ```python'),
  z
    .array(z.string().min(1))
    .min(1, 'a command has at least the path of a program')
    .max(maxArguments, `a command has at most ${maxArguments} parts`),
  { error: 'must be a JSON object of languages with commands: {"bash": ["/bin/bash", "-s"]}' },
);

/** The commands that run the code samples of a language. */
export const sampleRunners = runners.superRefine((given, context) => {
  for (const [language, [program = '']] of Object.entries(given)) {
    const message = runnerProblem(program);
    if (message !== undefined) context.addIssue({ code: 'custom', message: `${language}: ${message}` });
  }
});

function runnerProblem(program: string): string | undefined {
  if (!isAbsolute(program)) return `${program} is not an absolute path. Begin it with /`;
  if (!existsSync(program) || !statSync(program).isFile())
    return `${program} is not a program on this machine. Install it, or correct the path`;
  const isVisible = [program, realpathSync(program)].every((path) =>
    ['/usr', ...systemFolders].some((folder) => contains(folder, path)),
  );
  return isVisible
    ? undefined
    : `${program} is not below /usr or /bin, the folders that samples see. Install it there`;
}

export function readPathsOf(text: string, context: z.RefinementCtx): string[] {
  const paths = text
    .split(',')
    .map((path) => path.trim())
    .filter((path) => path !== '');
  for (const path of paths) {
    const message = isAbsolute(path)
      ? refusalOf(resolve(path))
      : `${path} is not an absolute path. Begin it with /`;
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  }
  return paths.map((path) => resolve(path));
}

function refusalOf(path: string): string | undefined {
  const own =
    sandboxFolders.find((folder) => contains(path, folder)) ??
    kernelFolders.find((folder) => contains(folder, path));
  return own && `${path} hides ${own}, which the sandbox provides itself. Name a folder of the agent`;
}

/** `secretValues` and `secretFiles` are secrets of the service, by the setting that names them. */
export function refuseAgentExposure(
  agent: { environment: Readonly<Record<string, string>>; readPaths: readonly string[] },
  service: {
    dataDir: string;
    secretValues: Readonly<Record<string, string>>;
    secretFiles: readonly string[];
  },
): void {
  for (const [name, value] of Object.entries(agent.environment)) {
    const source = Object.entries(service.secretValues).find(([, secret]) => holds(value, secret))?.[0];
    if (source === undefined) continue;
    throw new ConfigError(
      `AGENT_ENV: ${name} contains the value of ${source}, and the agent gets no secret of the service. Use any other text: Docyard adds the key of the model outside the sandbox.`,
    );
  }
  const kept = [service.dataDir, ...service.secretFiles].map(realPath);
  for (const path of agent.readPaths) {
    const exposed = kept.find((each) => contains(realPath(path), each) || contains(each, realPath(path)));
    if (exposed === undefined) continue;
    throw new ConfigError(
      `AGENT_READ_PATHS: ${path} exposes ${exposed}, which holds data or secrets of the service. Name a folder that does not contain it.`,
    );
  }
}

/** Shorter values occur in ordinary words. */
const minSecretCharacters = 8;

function holds(value: string, secret: string): boolean {
  return secret.length >= minSecretCharacters && value.includes(secret);
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}

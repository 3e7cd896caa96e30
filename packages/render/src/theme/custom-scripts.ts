/**
 * Repository scripts that the format runs on every page. They are exported only when enabled, as content-hashed
 * files, and the renderer never executes them.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { Parser } from 'acorn';
import type { Diagnostic } from '../model/diagnostic.ts';
import { maxSourceBytes, readSource } from '../source/source.ts';
import { asksHosts, liveNeeds } from '../program/live-needs.ts';
import { CompileError } from '../program/syntax.ts';
import type { CustomScriptsOption } from '../site/render-options.ts';

const customScriptFolder = '_docyard/scripts/';
/** Emulates the API of the format's own script; loaded before custom scripts. */
const formatApiPath = '_docyard/format-api.js';

const maxScripts = 100;

interface ScriptSource {
  file: string;
  content: string;
}

interface IncludedScript extends ScriptSource {
  path: string;
  hosts: string[];
}

export class CustomScripts {
  readonly findings: Diagnostic[] = [];
  readonly #included: IncludedScript[] = [];

  constructor(root: string, files: readonly string[], option: CustomScriptsOption = 'skip') {
    for (const file of files) {
      const read = readScript(root, file);
      if (read === 'empty') continue;
      if (typeof read !== 'object') this.findings.push(unusable(file, read));
      else if (option === 'skip') this.findings.push(skipped(read));
      else if (this.#included.length >= maxScripts) this.findings.push(unusable(file, 'many'));
      else this.#include(read);
    }
  }

  #include(source: ScriptSource): void {
    const hash = createHash('sha256').update(source.content).digest('hex').slice(0, 12);
    const name = source.file.replace(/\.js$/, '').replaceAll(/[^\w-]+/g, '-');
    const path = `${customScriptFolder}${name}.${hash}.js`;
    const hosts = hostsOf(source);
    this.#included.push({ ...source, path, hosts: asksHosts(source.content) ? hosts : [] });
    this.findings.push(included(source, hosts));
  }

  /** In loading order. */
  get paths(): string[] {
    return this.#included.length ? [formatApiPath, ...this.#included.map(({ path }) => path)] : [];
  }

  get hosts(): string[] {
    return [...new Set(this.#included.flatMap(({ hosts }) => hosts))].toSorted();
  }

  files(): { path: string; content: string }[] {
    if (this.#included.length === 0) return [];
    const known = new Map(this.#included.map(({ path, content }) => [path, content]));
    return [[formatApiPath, formatApi] as const, ...known].map(([path, content]) => ({ path, content }));
  }
}

/** The hosted service's user data and request form, as a signed-out reader sees them. */
const formatApi = `(() => {
  const nothing = () => undefined;
  const playground = { setServerVariables: nothing, clearServerVariables: nothing };
  window.mintlify ??= { user: undefined, api: { playground } };
})();
`;

type Unusable = 'large' | 'many' | 'module' | 'program' | 'syntax';

function readScript(root: string, file: string): ScriptSource | Unusable | 'empty' {
  const bytes = readSource(join(root, file));
  if (bytes.length > maxSourceBytes) return 'large';
  const content = Buffer.from(bytes).toString();
  const statements = statementsOf(content, 'script');
  if (statements === undefined) return statementsOf(content, 'module') === undefined ? 'syntax' : 'module';
  if (statements === 0) return 'empty';
  return isProgram(content) ? 'program' : { file, content };
}

function statementsOf(content: string, sourceType: 'script' | 'module'): number | undefined {
  try {
    const options = { ecmaVersion: 'latest', sourceType, allowHashBang: true } as const;
    return Parser.parse(content, options).body.length;
  } catch {
    return undefined;
  }
}

/** Node programs, such as repository tools. */
function isProgram(content: string): boolean {
  return /^#!|(?:^|[^\w.$])(?:module\.exports\b|exports\.\w|require\s*\(\s*['"])/m.test(content);
}

function hostsOf({ file, content }: ScriptSource): string[] {
  try {
    return liveNeeds([{ id: file, factory: content }]).hosts;
  } catch (error) {
    if (error instanceof CompileError) return [];
    throw error;
  }
}

const reasons: Record<Unusable, string> = {
  large: 'it is larger than 1 MB',
  many: `the site has more than ${maxScripts} scripts`,
  module: 'it is a module, and pages load classic scripts',
  program: 'it is a program for Node',
  syntax: 'it is not valid JavaScript',
};

function unusable(file: string, reason: Unusable): Diagnostic {
  return {
    severity: 'info',
    code: 'custom_script_skipped',
    message: `The script is not part of the exported pages: ${reasons[reason]}`,
    file,
  };
}

function skipped(source: ScriptSource): Diagnostic {
  const effects = effectsOf(source);
  return {
    severity: 'info',
    code: 'custom_script_skipped',
    message: `The script is not part of the exported pages${effects.length ? `, which lack what it does: it ${effects.join(', ')}` : ''}`,
    file: source.file,
    hint: 'Set customScripts to include in the options of the export if you trust the repository.',
  };
}

function included(source: ScriptSource, hosts: readonly string[]): Diagnostic {
  const isLoading = /createElement\s*\(\s*['"](?:script|iframe|link)['"]/.test(source.content);
  const blocked = isLoading && hosts.length ? ` What it loads from ${hosts.join(', ')} is blocked.` : '';
  return {
    severity: 'info',
    code: 'custom_script_included',
    message: `The script runs on every page of the export.${blocked}`,
    file: source.file,
  };
}

const effects: readonly [pattern: RegExp, effect: string][] = [
  [
    /\b(?:createElement|insertAdjacent\w+|innerHTML|appendChild|prepend|append|replaceWith)\b/,
    'adds elements to pages',
  ],
  [/\b(?:classList|setAttribute|\.style|dataset)\b/, 'changes elements'],
  [/\baddEventListener\b/, 'reacts to what readers do'],
  [/\b(?:localStorage|sessionStorage|cookie)\b/, 'keeps data in the browser'],
];

function effectsOf(source: ScriptSource): string[] {
  const hosts = hostsOf(source);
  return [
    ...effects.flatMap(([pattern, effect]) => (pattern.test(source.content) ? [effect] : [])),
    ...(hosts.length ? [`contacts ${hosts.slice(0, 5).join(', ')}`] : []),
  ];
}

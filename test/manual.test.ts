/** Compares the manual with the code: operations, fields, error codes, navigation, files and links. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { agentEndings, errorTable, failureTable, operationIds, scopes, webhookEvents } from '@docyard/api';
import { loadSite } from '@docyard/render';
import { diagnosticCodes } from '@docyard/render/report';
import { describe, expect, it } from 'vitest';
import { PrometheusMeasures } from '../packages/server/src/adapters/telemetry/prometheus.ts';
import { catalogue } from '../packages/render/src/components/catalogue.ts';
import { outputs } from '../packages/render/src/outputs/table.ts';
import { refusalTable } from '../packages/bundle/src/refusal.ts';
import { aliases } from '../packages/server/src/cli/aliases.ts';
import { exitTable } from '../packages/server/src/cli/exit.ts';
import { settings } from '../packages/server/src/config-settings.ts';
import { buildProgram } from '../packages/server/src/main.ts';

const repository = fileURLToPath(new URL('..', import.meta.url));
const sites = { manual: join(repository, 'docs'), sample: join(repository, 'packages/server/sample') };

const page = (name: string) => readFileSync(join(sites.manual, `${name}.mdx`), 'utf8');

describe('the errors page', () => {
  const errors = page('reference/errors');

  it('lists every error code with its status and title, and no other', () => {
    const expected = Object.entries(errorTable).map(([code, { status, title }]) => [
      code,
      String(status),
      title,
    ]);
    expect(tableRows(section(errors, 'Error codes')).map((cells) => cells.slice(0, 3))).toEqual(expected);
  });

  it('has an anchor for every error code, where the server links to', () => {
    const anchors = [...errors.matchAll(/<span id="(\w+)">/g)].map(([, id]) => id);
    expect(anchors).toEqual(Object.keys(errorTable));
  });

  it('lists every failure code with its meaning, and no other', () => {
    const expected = Object.entries(failureTable).map(([code, { retryable, meaning }]) => [
      code,
      retryable ? 'yes' : 'no',
      meaning.replaceAll('`', ''),
    ]);
    expect(tableRows(section(errors, 'Failure codes'))).toEqual(expected);
  });
});

describe('tables of the API', () => {
  it('the table of reasons lists every ending of a run', () => {
    const rows = tableRows(section(page('reference/agent-jobs'), 'Why a run ends'));
    expect(Object.fromEntries(rows)).toEqual(agentEndings);
  });

  it('the client table lists every operation', () => {
    const text = page('reference/client');
    expect(operationIds.filter((id) => !text.includes(`\`${id}\``))).toEqual([]);
  });

  it('the table of events lists every webhook event', () => {
    const rows = tableRows(section(page('reference/webhooks'), 'Events'));
    expect(Object.fromEntries(rows)).toEqual(webhookEvents);
  });

  it('the scopes table lists every scope', () => {
    const rows = tableRows(section(page('concepts/organizations'), 'Scopes', '###'));
    expect(rows.map(([scope]) => scope)).toEqual([...scopes]);
  });
});

it('the configuration page lists every setting with its default', () => {
  const spoken: Record<string, string> = {
    PUBLIC_URL: 'the host of each request',
    LOG_FORMAT: 'text on a terminal, otherwise json',
    PREVIEW_URL: 'the host of the dashboard',
    EXPORT_CONCURRENCY: 'one per core',
    RENDER_PROCESSES: 'one per core',
    RENDER_ISOLATION_MIN: 'depends on the number of organizations',
    TRUST_PROXY: 'off',
    OFFLINE: 'off',
    AUTO_MIGRATE: 'on',
    DASHBOARD: 'on',
    EGRESS_ALLOW: 'empty',
    AGENT_COMMAND: 'the built-in engine',
    AGENT_ENV: 'empty',
    AGENT_READ_PATHS: 'empty',
    AGENT_SAMPLE_RUNNERS: 'none',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'none',
    MODEL_URL: 'none',
    MODEL_NAME: 'none',
    MODEL_KEY: 'none',
    MODEL_HEADERS: 'none',
    MODEL_OPTIONS: 'none',
    ADMIN_EMAIL: 'none',
    ADMIN_PASSWORD: 'none',
    OIDC_ISSUER: 'none',
    OIDC_CLIENT_ID: 'none',
    OIDC_CLIENT_SECRET: 'none',
    OIDC_DEFAULT_ROLE: 'none',
    OIDC_EMAIL_DOMAINS: 'empty',
    DATABASE_URL: 'SQLite in the data folder',
    BLOBS_URL: 'a folder in the data folder',
    SECRET_KEY: 'generated in the data folder',
    SECRET_KEY_PREVIOUS: 'none',
    SIGNING_KEY: 'derived from the other secrets',
  };
  const expected = Object.entries(settings).map(([name, { check }]) => [
    name,
    spoken[name] ?? String(check.parse(undefined) as string | number | boolean | undefined),
  ]);
  const listed = tableRows(section(page('operate/configuration'), 'Settings')).map((cells) =>
    cells.slice(0, 2),
  );
  expect(listed).toEqual(expected);
});

it('the configuration page lists the file variable of every secret', () => {
  const expected = Object.entries(settings)
    .filter(([, setting]) => 'secret' in setting)
    .map(([name]) => [name, `${name}_FILE`]);
  const [beforeSettings = ''] = page('operate/configuration').split('\n## Settings');
  expect(tableRows(beforeSettings)).toEqual(expected);
});

it('the page of signatures lists every reason to refuse a bundle', () => {
  const rows = tableRows(section(page('deploy/signatures'), 'Why a bundle is refused'));
  const spoken = Object.entries(refusalTable).map(([name, meaning]) => [name, meaning]);
  expect(rows).toEqual(spoken);
});

it('the monitoring page lists every number', async () => {
  const { text } = await new PrometheusMeasures({ version: '0', role: 'all' }).read({});
  const kept = [...text.matchAll(/^# HELP (docyard_\w+)/gm)].map(([, name]) => name ?? '');
  const rows = tableRows(section(page('operate/monitoring'), 'Metrics'));
  const listed = rows
    .flatMap(([names = '']) => names.split(', '))
    .filter((name) => name.startsWith('docyard_'));
  expect(listed.toSorted()).toEqual(kept.toSorted());
});

describe('the page of commands', () => {
  const cli = page('reference/cli');

  it('lists every exit status with its meaning', () => {
    const expected = Object.entries(exitTable).map(([code, { status, meaning }]) => [
      String(status),
      code,
      meaning.replaceAll('`', ''),
    ]);
    expect(tableRows(section(cli, 'Exit statuses'))).toEqual(expected);
  });

  it('lists every name of other tools', () => {
    const listed = tableRows(section(cli, 'Names from other tools')).map(([word]) => word);
    expect(listed).toEqual(expect.arrayContaining(Object.keys(aliases).map((name) => `docyard ${name}`)));
  });
});

const everyCommand = (await buildProgram()).commands;

describe.each(everyCommand.map((command) => ({ name: command.name(), command })))(
  'docyard $name',
  ({ name, command }) => {
    const cli = page('reference/cli');
    /** Options that several commands share are documented once. */
    const shared = ['Commands on the data folder', 'Commands for a running service']
      .map((heading) => section(cli, heading).split('\n### ')[0])
      .join('\n');
    const own = partAbout(cli, name);

    it('is on the page of commands, with its subcommands', () => {
      const names = command.commands.map((subcommand) => subcommand.name());
      expect(names.filter((subcommand) => !own.includes(`docyard ${name} ${subcommand}`))).toEqual([]);
    });

    it('is shown with every option it has', () => {
      const shown = flagsIn(shared + own);
      const wanted = flagsOf(command, ({ hidden }) => !hidden);
      expect(wanted.filter((flag) => !shown.includes(flag))).toEqual([]);
    });

    it('is shown with no option that does not exist', () => {
      const known = everyCommand.flatMap((each) => flagsOf(each));
      expect(flagsIn(own).filter((flag) => !known.includes(flag))).toEqual([]);
    });
  },
);

describe.each(Object.entries(sites))('the %s site', (_name, root) => {
  const files = pageFiles(root);

  it('has every page of its navigation, and every page in its navigation', () => {
    const config = JSON.parse(readFileSync(join(root, 'docs.json'), 'utf8')) as { navigation: unknown };
    expect(navigationPages(config.navigation).toSorted()).toEqual(files.toSorted());
  });

  it('begins every page with a title and a description', () => {
    const bare = files.filter((file) => {
      const [, matter = ''] =
        /^---\n(.*?)\n---\n/s.exec(readFileSync(join(root, `${file}.mdx`), 'utf8')) ?? [];
      return !/^title: \S/m.test(matter) || !/^description: \S/m.test(matter);
    });
    expect(bare).toEqual([]);
  });

  it('has no link that leads nowhere', async () => {
    /** Pages from an API description have no file. */
    const pages = new Set((await loadSite({ root })).pages.map(({ path }) => path));
    const config = readFileSync(join(root, 'docs.json'), 'utf8');
    const sources = [
      ...files.map((file) => ({ file, text: withoutCode(readFileSync(join(root, `${file}.mdx`), 'utf8')) })),
      { file: 'docs.json', text: config },
    ];
    const broken = sources.flatMap(({ file, text }) =>
      linksIn(text)
        .filter((link) => !leadsSomewhere(root, pages, file, link))
        .map((link) => `${file}: ${link}`),
    );
    expect(broken).toEqual([]);
  });
});

it.each(['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md'])('%s links only to files that exist', (name) => {
  const text = withoutCode(readFileSync(join(repository, name), 'utf8'));
  const missing = linksIn(text)
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => !existsSync(join(repository, link.replace(/#.*$/, ''))));
  expect(missing).toEqual([]);
});

/** The text from a heading to the next one of the same or a higher level. */
function section(text: string, heading: string, level = '##'): string {
  const plain = text.replaceAll(/^```.*?^```/gms, (block) => block.replaceAll(/^#/gm, ' '));
  const start = plain.indexOf(`\n${level} ${heading}\n`);
  if (start < 0) throw new Error(`There is no heading "${level} ${heading}".`);
  const rest = plain.slice(start + 1 + level.length);
  const end = rest.search(new RegExp(`\\n#{1,${level.length}} `));
  return end < 0 ? rest : rest.slice(0, end);
}

function flagsIn(text: string): string[] {
  return text.match(/--[a-z0-9][a-z0-9-]*/g) ?? [];
}

function flagsOf(
  command: Awaited<ReturnType<typeof buildProgram>>,
  counts: (option: { hidden: boolean }) => boolean = () => true,
): string[] {
  const options = [command, ...command.commands].flatMap((each) => each.options);
  return options.filter(counts).flatMap(({ long }) => long ?? []);
}

function partAbout(text: string, command: string): string {
  const [, level = '##', heading = ''] =
    new RegExp(`^(##+) (.*docyard ${command}(?: .*)?)$`, 'm').exec(text) ?? [];
  return section(text, heading, level);
}

/** The body rows of the first table, without code marks and anchors. */
function tableRows(text: string): string[][] {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^\|[\s|:-]+\|$/.test(line));
  if (start < 0) return [];
  const rows: string[][] = [];
  for (const line of lines.slice(start + 1)) {
    if (!line.startsWith('|')) break;
    rows.push(
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll(/<\/?span[^>]*>|`/g, '')),
    );
  }
  return rows;
}

function pageFiles(root: string): string[] {
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.mdx'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).slice(0, -'.mdx'.length));
}

/** Other entries are operations of an API description. */
function isPageFile(entry: unknown): entry is string {
  return typeof entry === 'string' && !/^[A-Z]+ \//.test(entry);
}

function navigationPages(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(navigationPages);
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]: [string, unknown]) => {
    const own = key === 'pages' && Array.isArray(value) ? value.filter((item) => isPageFile(item)) : [];
    return [...own, ...navigationPages(value)];
  });
}

function withoutCode(text: string): string {
  return text.replaceAll(/^[ \t]*```.*?^[ \t]*```/gms, '');
}

function linksIn(text: string): string[] {
  const patterns = [
    /\]\(([^)\s]+)\)/g,
    /\b(?:href|src|srcset)="([^"]+)"/g,
    /"(?:href|light|dark|favicon|destination)": "([^"#][^"]*)"/g,
  ];
  return patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, link]) => link ?? ''));
}

function leadsSomewhere(root: string, pages: ReadonlySet<string>, file: string, link: string): boolean {
  if (/^(?:https?|mailto):/.test(link)) return true;
  const [path = '', anchor] = link.split('#');
  if (path !== '' && !path.startsWith('/')) return false;
  const target = path === '' ? file : path === '/' ? 'index' : path.slice(1);
  if (!pages.has(target))
    return anchor === undefined && /\.\w+$/.test(target) && existsSync(join(root, target));
  // Links to anchors of generated pages are checked by the export.
  if (anchor === undefined || !existsSync(join(root, `${target}.mdx`))) return true;
  return anchorsOf(root, target).has(anchor);
}

function anchorsOf(root: string, name: string): Set<string> {
  const text = withoutCode(readFileSync(join(root, `${name}.mdx`), 'utf8'));
  const headings = [...text.matchAll(/^#{2,4} (.+)$/gm)].map(([, heading]) => heading ?? '');
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\w\s-]/g, '')
        .trim()
        .replaceAll(/\s+/g, '-'),
    ),
  );
}

it('the overview explains an export with at most twelve files, one in each step', () => {
  const sections = [
    ['Follow one job', 'packages/server/src'],
    ['Follow one page', 'packages/render/src'],
  ] as const;
  const files = sections.flatMap(([heading, folder]) => {
    const text = section(page('internals/overview'), heading);
    const named = [...text.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file = '']) => file);
    const steps = [...text.matchAll(/^\d+\. `([\w/-]+\.ts)`: /gm)].map(([, file]) => file);
    expect(named).toEqual(steps);
    return named.map((file) => join(folder, file));
  });
  expect(files.filter((file) => !existsSync(join(repository, file)))).toEqual([]);
  expect(files.length).toBeLessThanOrEqual(12);
});

describe('the page of findings', () => {
  it('lists exactly what the renderer can tell, with its meaning', () => {
    const rows = [...page('reference/findings').matchAll(/^\| `(\w+)` \| (.+) \|$/gm)];
    expect(Object.fromEntries(rows.map(([, code, meaning]) => [code, meaning]))).toEqual(diagnosticCodes);
  });
});

describe('the page of machine readers', () => {
  /** Authors do not need files that pages load. */
  const listed = outputs.filter(({ files }) => files.some((file) => !/^_docyard\/(?!social)/.test(file)));
  const rows = tableRows(page('write/machine-readers'));

  it.each(listed.map((output) => [output.name, output] as const))('lists the files of %s', (_, output) => {
    const row = rows.find(([names = '']) => names.split(', ').includes(output.files[0] ?? ''));
    const yes = (value: boolean): string => (value ? 'yes' : 'no');
    expect(row?.slice(2)).toEqual([
      yes(output.needsOrigin),
      yes(output.canOverride),
      output.canOverride ? yes(!output.isProtected) : '–',
    ]);
  });

  it('lists nothing else', () => {
    const files = new Set(listed.flatMap((output) => output.files));
    const unknown = rows.flatMap(([names = '']) => names.split(', ')).filter((name) => !files.has(name));
    expect(unknown).toEqual([]);
  });
});

it('the page of components names every component', () => {
  const text = page('write/components');
  expect([...catalogue.keys()].filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

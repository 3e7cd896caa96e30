/**
 * Finds all code that can connect to another host and compares it with the manual. New code must use `egress`, or be listed
 * here and in the manual.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { temporaryFolder } from './temporary-resources.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = [
  'packages/api/src',
  'packages/bundle/src',
  'packages/render/src',
  'packages/server/src',
  'packages/server/bin',
  'packages/site/src',
  'packages/site/bin',
];
const own = 'packages/server/src/';
const site = 'packages/site/src/';

/**
 * Files that may connect besides `egress/`, with their row in the manual. Libraries get a checked address of
 * `@docyard/site/network`, or a `fetch` of `egress/guarded-fetch`.
 */
const connecting: Record<string, string> = {
  'packages/api/src/client.ts': 'Commands and clients',
  'packages/api/src/download.ts': 'Commands and clients',
  [`${own}adapters/database/postgres.ts`]: 'PostgreSQL',
  [`${own}adapters/changes/postgres.ts`]: 'PostgreSQL',
  [`${own}adapters/queue/pg-boss.ts`]: 'PostgreSQL',
  [`${site}sources/s3-client.ts`]: 'Bucket',
  [`${site}sources/s3-bucket.ts`]: 'Bucket',
  [`${own}adapters/blobs/s3.ts`]: 'Bucket',
  [`${own}adapters/telemetry/opentelemetry.ts`]: 'Traces',
  [`${own}agent/model/providers.ts`]: 'Model endpoints',
  [`${own}http/oidc-sign-in.ts`]: 'Single sign-on',
  [`${site}access/oidc-sign-in.ts`]: 'Sign-in to a private site',
  // These two run in the sandbox without a network: they connect to sockets in the file system.
  [`${own}agent/engine/relay.ts`]: 'Another agent',
  [`${own}agent/demo/example-acp-agent.ts`]: 'Another agent',
  // A canary that connects to a port of this machine.
  [`${own}sandbox/probe-child.ts`]: 'The check of the isolation',
};

/** Files that use `egress/`, with their row in the manual. */
const throughEgress: Record<string, string> = {
  [`${own}git/address.ts`]: 'Repositories',
  [`${own}exports/fetches.ts`]: 'API descriptions',
  [`${own}egress/picture.ts`]: 'Pictures',
  [`${own}egress/font.ts`]: 'Fonts',
  [`${own}webhooks/send.ts`]: 'Webhooks',
  [`${own}adapters/forge/api.ts`]: 'Forges',
  [`${own}forge-events/github-app/conversion.ts`]: 'Forges',
  [`${own}agent/model/gateway.ts`]: 'Model endpoints',
  [`${site}answers/model-endpoint.ts`]: 'Answers',
  [`${site}sources/open.ts`]: 'Deployments',
  [`${site}reporting/reporter.ts`]: 'Deployments',
  [`${own}cli/connection.ts`]: 'Commands and clients',
};

/** Programs that are started, and why they open no other connections. */
const starting: Record<string, string> = {
  [`${own}git/run.ts`]: 'git, for addresses that were checked and are pinned',
  [`${own}git/signing.ts`]: 'ssh-keygen and gpg, without the network part of gpg',
  [`${own}agent/tools/grep.ts`]: 'git grep, which connects to nothing',
  [`${own}first-run.ts`]: 'git, to make the repository of the sample',
  [`${own}cli/git.ts`]: 'git, to read commits of a folder, which connects to nothing',
  [`${own}cli/agent-demo.ts`]: 'git, to make the repository of the demo',
  [`${own}operations/doctor.ts`]: 'git --version',
  [`${own}sandbox/launch.ts`]:
    'the processes that read strangers’ files, without a network where the system allows it',
  [`${own}sandbox/run-program.ts`]: 'code samples of authors, without a network',
  [`${own}sandbox/runtime-files.ts`]: 'those processes, asked which libraries they need, or ldd',
  [`${own}sandbox/probe-child.ts`]: 'nothing that may start: it tries whether it could',
  [`${own}agent/engine/sandbox.ts`]: 'another agent, without a network',
  [`${own}agent/engine/relay.ts`]: 'another agent, from inside that sandbox',
  [`${own}agent/demo/example-acp-agent.ts`]: 'tools of the example, inside that sandbox',
  [`${own}http/manual.ts`]: 'docyard build --offline, for the manual',
  [`${own}cli/browser.ts`]: 'the browser of the user',
  'packages/render/src/pipeline/start-process.ts': 'render processes, inside the isolation of their parent',
  'packages/server/bin/docyard.js': 'itself, on a newer Node',
};

const files = folders.flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    // Scripts in files/ run in browsers.
    .filter((file) => /\.[jt]s$/.test(file) && !/\.test\.ts$|\/files\//.test(file)),
);
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8');

/** Names of networking modules that do not connect. */
const harmless =
  /^(?:type .*|createServer(?: as \w+)?|createSecureContext|isIP|BlockList|getCACertificates|rootCertificates)$/;
const sockets = /^node:(?:https?|http2|net|tls|dns|dns\/promises|dgram)$/;
const libraries =
  /^(?:undici|ws|pg|pg-boss|openid-client|ai|@ai-sdk\/.*|@aws-sdk\/.*|@smithy\/.*|@opentelemetry\/exporter-.*)$/;

function importsOf(file: string): { from: string; names: string[] }[] {
  const text = textOf(file);
  const named = [...text.matchAll(/^import\s+(?!type\b)([^;]*?)\s+from\s+'([^']+)'/gm)];
  const late = [...text.matchAll(/\bimport\('([^']+)'\)/g)];
  return [
    ...named.map(([, names = '', from = '']) => ({
      from,
      names: names
        .replaceAll(/[{}\n]/g, ' ')
        .split(',')
        .map((name) => name.trim())
        .filter(Boolean),
    })),
    ...late.map(([, from = '']) => ({ from, names: ['*'] })),
  ];
}

function importingConnections(): string[] {
  return files.filter((file) =>
    importsOf(file).some(
      ({ from, names }) =>
        libraries.test(from) || (sockets.test(from) && !names.every((name) => harmless.test(name))),
    ),
  );
}

/** The linter distinguishes the global `fetch` from a parameter of that name. */
function usingGlobals(): string[] {
  const config = join(temporaryFolder('lint'), 'config.json');
  const forbidden = ['fetch', 'WebSocket', 'EventSource', 'XMLHttpRequest'];
  writeFileSync(
    config,
    JSON.stringify({
      plugins: [],
      categories: { correctness: 'off' },
      rules: { 'no-restricted-globals': ['error', ...forbidden] },
    }),
  );
  const args = ['-c', config, '--disable-nested-config', '--format', 'json', ...folders];
  const linter = join(root, 'node_modules/.bin/oxlint');
  const { stdout } = spawnSync(linter, args, { cwd: root, encoding: 'utf8', maxBuffer: 100_000_000 });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { filename: string; code: string }[] };
  const found = diagnostics.filter(({ code }) => code.includes('no-restricted-globals'));
  return [...new Set(found.map(({ filename }) => filename))].filter((file) => files.includes(file));
}

const outsideEgress = (found: readonly string[]): string[] =>
  [...new Set(found)]
    .filter((file) => !file.startsWith(`${own}egress/`) && !file.startsWith(`${site}network/`))
    .toSorted();

test('only egress and the listed files connect', () => {
  const found = [...importingConnections(), ...usingGlobals()];
  expect(found).toContain(`${own}egress/fetch.ts`);
  expect(found).toContain(`${site}network/peers.ts`);
  expect(outsideEgress(found)).toEqual(Object.keys(connecting).toSorted());
});

test('no program is started but those that are listed', () => {
  const found = files.filter((file) =>
    importsOf(file).some(
      ({ from, names }) => from === 'node:child_process' && !names.every((name) => name.startsWith('type ')),
    ),
  );
  expect(found.toSorted()).toEqual(Object.keys(starting).toSorted());
});

test('what goes through egress imports it, and the rest of the program does not judge addresses', () => {
  for (const file of Object.keys(throughEgress))
    expect(textOf(file), file).toMatch(
      /from '(?:@docyard\/site\/network|(?:\.\.\/)*(?:egress\/|network\/|\.\/)(?:addresses|request|fetch|guarded-fetch|peers)\.ts)'/,
    );
});

test('every client of the program that is made for a named server goes by the offline rule', () => {
  const made = files
    .filter((file) => file.startsWith(own) || file.startsWith(site))
    .flatMap((file) =>
      [...textOf(file).matchAll(/new DocyardClient\(\{[\s\S]*?\}\)/g)].map(([text]) => ({ file, text })),
    );
  const unbound = made.filter(({ text }) => !/\bfetch\b/.test(text)).map(({ file }) => file);
  // It connects to the service that it has just started on this machine.
  expect(unbound).toEqual([`${own}cli/agent-demo.ts`]);
});

test('the manual lists each of them', () => {
  const manual = textOf('docs/operate/network.mdx');
  const table = manual.slice(
    manual.indexOf('| What connects |'),
    manual.indexOf('## Hosts that others choose'),
  );
  const rows = [...table.matchAll(/^\| ([^|]+?) \|/gm)].map(([, row = '']) => row).slice(1);
  const known = new Set([...Object.values(connecting), ...Object.values(throughEgress)]);
  expect(rows.map((row) => row.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')).toSorted()).toEqual(
    [...known].toSorted(),
  );
});

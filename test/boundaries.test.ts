/** Checks the direction of imports between packages and between the layers of the server. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import {
  type Import,
  circles,
  folderImports,
  folderOf,
  importsOf,
  layersByPackage,
  sourceFiles,
  upwardImports,
} from '../scripts/import-graph.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Static imports only, without types. */
function importsLoadedWith(file: string): Import[] {
  const text = readFileSync(join(root, file), 'utf8');
  const specifiers = [...text.matchAll(/^(?:import|export)\s(?!type\s)[^;]*?from\s+'([^']+)'/gm)];
  return specifiers.map(([, to = '']) => ({
    from: file,
    to: to.startsWith('.') ? relative(root, resolve(root, dirname(file), to)) : to,
  }));
}

describe('packages', () => {
  const allowed: Record<string, RegExp> = {
    'packages/api/src': /^(zod|packages\/api\/)/,
    'packages/bundle/src':
      /^(node:(?!https?$|net$|dgram$|http2$|sqlite$|tls$)|zod$|@docyard\/api$|packages\/bundle\/)/,
    'packages/dashboard/src':
      /^(@docyard\/api$|react$|react-dom\/client$|wouter$|@(base-ui|tanstack)\/|packages\/dashboard\/)/,
    'packages/site/src':
      /^(node:|zod$|yaml$|pino$|commander$|eventsource-parser$|jose$|openid-client$|@modelcontextprotocol\/server$|@aws-sdk\/client-s3$|@docyard\/(api|bundle)$|packages\/site\/)/,
    'packages/render/src':
      /^(node:(?!https?$|net$|dgram$|http2$|sqlite$|tls$)|packages\/render\/|(?!@docyard|docyard|hono|kysely)[@a-z])/,
  };
  test.each(Object.entries(allowed))('%s imports only what it may', (folder, pattern) => {
    const wrong = sourceFiles(folder)
      .flatMap(importsOf)
      .filter(
        ({ from, to }) => !pattern.test(to) && !(from.endsWith('/download.ts') && to.startsWith('node:')),
      );
    expect(wrong).toEqual([]);
  });

  test('the server imports other packages by their names', () => {
    const reachingIn = sourceFiles('packages/server/src')
      .flatMap(importsOf)
      .filter(({ to }) =>
        /^packages\/(api|bundle|dashboard|render|site)\/|^@docyard\/(?!bundle$|bundle\/writer$|site$|site\/(?:command|disk|errors|log|network|restricted-files|s3|serving)$|api$|api\/(?:client|constants|download|errors|site-schemas|wait)$|render$|render\/(?:files|process-settings|report|section-search|source-rules|start-process)$)/.test(
          to,
        ),
      );
    expect(reachingIn).toEqual([]);
  });
});

describe.each(Object.entries(layersByPackage))('inside %s', (name, layers) => {
  const imports = folderImports(name);

  test('every folder has a layer', () => {
    const folders = new Set(imports.flatMap(({ from, to }) => [folderOf(from), folderOf(to)]));
    expect([...folders].toSorted()).toEqual(layers.flat().toSorted());
  });

  test('imports point downwards', () => {
    expect(upwardImports(imports, layers)).toEqual([]);
  });
});

test.each(['api', 'bundle', 'dashboard', 'render', 'server', 'site'])(
  'no folders of %s import each other in a circle',
  (name) => {
    expect(circles(folderImports(name))).toEqual([]);
  },
);

/** From top to bottom. A file may import from its own layer and from those below. */
const layers: [name: string, members: RegExp][] = [
  [
    'wiring',
    /^(main|compose|serve|first-run|secrets|secret-keys|sweeper|push-exports|pull-request-previews|review-messages|event-handlers|automation-jobs)\.ts$|^(cli|operations)\//,
  ],
  ['edges', /^(http|mcp|preview)\//],
  ['features', /^(exports|agent|automations)\//],
  [
    'kernel',
    /^(build-cache|sandbox|jobs|projects|keys|organizations|audit|webhooks|forge-events|users|deployment-registry|pull-requests)\//,
  ],
  [
    'types',
    /^(ports\/|egress\/|git\/|tool-protocol\/|(access-scope|batched-reads|problem|context|config|config-agent|config-rules|config-settings|data-folder|file-modes|folder-contains|group-commit|ids|log|paging|path-pattern|process-group|sample-site|seal|search|version)\.ts$)/,
  ],
];
const adapters = /^adapters\//;

function layerOf(file: string): number {
  return layers.findIndex(([, members]) => members.test(file));
}

describe('inside the server', () => {
  const prefix = 'packages/server/src/';
  const inside = sourceFiles('packages/server/src')
    .flatMap(importsOf)
    .filter(({ to }) => to.startsWith(prefix))
    .map(({ from, to }) => ({ from: from.slice(prefix.length), to: to.slice(prefix.length) }));

  test('every file has a place', () => {
    const homeless = sourceFiles('packages/server/src')
      .map((file) => file.slice(prefix.length))
      .filter((file) => layerOf(file) === -1 && !adapters.test(file));
    expect(homeless).toEqual([]);
  });

  test('imports point downwards', () => {
    const upwards = inside.filter(
      ({ from, to }) => !adapters.test(from) && !adapters.test(to) && layerOf(to) < layerOf(from),
    );
    expect(upwards).toEqual([]);
  });

  test('features do not import each other', () => {
    const feature = /^(exports|agent|automations)\//;
    const crossing = inside.filter(({ from, to }) => {
      const [home] = feature.exec(from) ?? [];
      const [other] = feature.exec(to) ?? [];
      return home !== undefined && other !== undefined && home !== other;
    });
    expect(crossing).toEqual([]);
  });

  test('adapters know ports, egress, git, problems and the version, and only compose knows adapters', () => {
    const wrong = inside.filter(
      ({ from, to }) =>
        (adapters.test(from) &&
          !adapters.test(to) &&
          !/^(ports\/|egress\/|git\/|(problem|file-modes|version)\.ts$)/.test(to)) ||
        (adapters.test(to) && !adapters.test(from) && from !== 'compose.ts'),
    );
    expect(wrong).toEqual([]);
  });

  test('one file knows the library for models, which changes every day', () => {
    const knowing = sourceFiles('packages/server/src')
      .flatMap(importsOf)
      .filter(({ to }) => /^(ai|@ai-sdk\/.*)$/.test(to));
    expect([...new Set(knowing.map(({ from }) => from))]).toEqual([`${prefix}agent/model/providers.ts`]);
  });

  test('a start on SQLite loads no library that only other installations need', () => {
    const heavy = /^(pg|pg-boss|prom-client|@(aws-sdk|smithy|opentelemetry)\/.*)$/;
    const loaded = new Set([`${prefix}cli/serve.ts`, `${prefix}serve.ts`, `${prefix}compose.ts`]);
    const wrong: Import[] = [];
    for (const file of loaded) {
      for (const found of importsLoadedWith(file)) {
        if (heavy.test(found.to)) wrong.push(found);
        if (found.to.startsWith(prefix)) loaded.add(found.to);
      }
    }
    expect(wrong).toEqual([]);
    expect(loaded).toContain(`${prefix}http/app.ts`);
  });

  test('the help of the program loads no schemas: 0.13 s in place of 0.4 s', () => {
    const loaded = new Set([`${prefix}main.ts`]);
    for (const file of loaded) {
      for (const { to } of importsLoadedWith(file)) if (to.endsWith('.ts')) loaded.add(to);
    }
    const libraries = [...loaded]
      .flatMap(importsLoadedWith)
      .filter(({ to }) => /^(?!node:)[@a-z]/.test(to) && !to.startsWith('packages/'));
    // Completion loads without the commands themselves.
    expect([...new Set(libraries.map(({ to }) => to))]).toEqual(['commander', '@docyard/site/command']);
    const ofCommands = new Set(['packages/site/src/command.ts']);
    for (const file of ofCommands) for (const { to } of importsLoadedWith(file)) ofCommands.add(to);
    expect([...ofCommands].filter((file) => !file.startsWith('packages/site/src/'))).toEqual([]);
  });

  test('nothing below the edges mentions HTTP, except egress', () => {
    const exempt = /^egress\//;
    const wrong = sourceFiles('packages/server/src')
      .filter((file) => layerOf(file.slice(prefix.length)) >= 2 && !exempt.test(file.slice(prefix.length)))
      .flatMap(importsOf)
      .filter(({ to }) => /^(hono|@hono\/|node:https?$)/.test(to));
    expect(wrong).toEqual([]);
  });
});

/** Exports against a published checklist. `DOCYARD_SITES=FOLDER` adds the real sites of a folder. */
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { fixture, renderFolder } from '../../packages/render/test/support/render-fixture.ts';
import { makeSite, startServer } from '../../packages/site/test/support/served-releases.ts';
import { findSites, siteFolders } from '../../scripts/measure/find-sites.ts';
import { temporaryFolder } from '../temporary-resources.ts';
import { type Fetched, checks, fetchSite } from './checks.ts';

const origin = 'https://docs.example.com';
const sample = fileURLToPath(new URL('../../packages/server/sample', import.meta.url));
/** Sites whose authors keep the sizes of pages that the checklist asks for. */
const chosen = ['jlowin+fastmcp', 'spree+spree'];
const real = findSites(siteFolders([]), temporaryFolder('sites'))
  .filter(({ name }) => chosen.includes(name))
  .map(({ name, root }) => [name, root] as const);

describe.each([['sample', sample], ['everything', fixture('sites/everything')], ...real] as const)(
  'the site %s',
  (_, root) => {
    let fetched: Fetched;

    beforeAll(async () => {
      const { bytes } = await renderFolder(root, { origin });
      const server = await startServer(await makeSite(Object.fromEntries(bytes)));
      fetched = await fetchSite({ publicUrl: origin, servedUrl: `http://127.0.0.1:${server.port}` });
      expect(fetched.pages.length).toBeGreaterThan(5);
    }, 600_000);

    test.each(Object.entries(checks))('passes %s', async (_, check) => {
      expect(await check(fetched)).toEqual([]);
    });
  },
);

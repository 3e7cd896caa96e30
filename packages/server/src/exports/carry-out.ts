/** Carries out an order in the sandboxed process and sends the answer, or the reason why there is none. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { loadSite } from '@docyard/render';
import { unknownPaths } from '@docyard/render/source-rules';
import { failureMessage } from './order-failure.ts';
import { runExportOrder, type Server } from './render-and-pack.ts';
import type { DescribeOrder, Order, PathsOrder } from './messages.ts';

export async function carryOut(order: Order, server: Server): Promise<void> {
  try {
    await workOn(order, server);
  } catch (error) {
    server.send(failureMessage(error));
  }
}

function workOn(order: Order, server: Server): Promise<void> {
  switch (order.type) {
    case 'export':
      return runExportOrder(order, server);
    case 'unknown-paths':
      return findUnknownPaths(order, server);
    case 'describe':
      return describe(order, server);
  }
}

async function findUnknownPaths({ folder, paths }: PathsOrder, { send, fetches }: Server): Promise<void> {
  const site = await loadSite({ root: folder, fetchRemote: fetches.fetch });
  send({ type: 'unknown-paths', paths: unknownPaths(site, paths) });
}

async function describe({ folder }: DescribeOrder, { send, fetches }: Server): Promise<void> {
  const { configFile, name, pages, root } = await loadSite({ root: folder, fetchRemote: fetches.fetch });
  // A folder of pages without a configuration is also a site.
  const hasConfig = existsSync(join(root, configFile));
  send({
    type: 'described',
    configFile: hasConfig ? configFile : null,
    name: name.slice(0, 2000),
    pages: pages.length,
  });
}

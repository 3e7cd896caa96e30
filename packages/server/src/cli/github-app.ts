/**
 * `docyard events github-app`: a page in the browser confirms the App on GitHub, which then sends the browser with
 * the code to a port of this machine.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { DocyardClient, GithubApp } from '@docyard/api';
import { isAtDesktop, showInBrowser } from './browser.ts';
import { CommandError } from './errors.ts';
import { print, showFacts } from './print.ts';

const waitMinutes = 60;

export interface GithubAppOptions {
  json?: boolean;
  organization?: string;
  name?: string;
}

export async function createGithubApp(
  client: DocyardClient,
  projectId: string,
  options: GithubAppOptions,
): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  try {
    const { port } = server.address() as AddressInfo;
    const { url } = await client.call('startGithubApp', {
      params: { projectId },
      body: {
        returnTo: `http://127.0.0.1:${port}/`,
        ...(options.organization === undefined ? {} : { organization: options.organization }),
        ...(options.name === undefined ? {} : { name: options.name }),
      },
    });
    process.stderr.write(`Open this page in a browser on this machine and confirm the App:\n\n  ${url}\n\n`);
    if (isAtDesktop()) await showInBrowser(url);
    const app = await finishWithBrowser(server, client, { projectId, url });
    show(app, options);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function finishWithBrowser(
  server: Server,
  client: DocyardClient,
  { projectId, url }: { projectId: string; url: string },
): Promise<GithubApp> {
  const expected = new URL(url).searchParams.get('state');
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new CommandError('GitHub did not return in time. Run the command again.')),
      waitMinutes * 60_000,
    );
    server.on('request', (request, response) => {
      const { searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
      const code = searchParams.get('code');
      const state = searchParams.get('state');
      // Any page can send requests to this port; only GitHub knows the state.
      if (code === null || state === null || state !== expected) return respond(response, 404, 'Not found.');
      clearTimeout(timer);
      client.call('finishGithubApp', { params: { projectId }, body: { code, state } }).then(
        ({ app }) => {
          respond(response, 200, 'The GitHub App is created. Continue in the terminal.');
          if (app !== null) resolve(app);
        },
        (error: unknown) => {
          respond(response, 500, 'The GitHub App could not be stored. The terminal shows why.');
          reject(error);
        },
      );
    });
  });
}

function respond(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
  response.end(`${text}\n`);
}

function show(app: GithubApp, options: GithubAppOptions): void {
  if (options.json) {
    print(options, app, []);
    return;
  }
  showFacts([
    ['app', app.name],
    ['id', app.appId],
    ['url', app.url],
    ['install', app.installUrl],
  ]);
  process.stderr.write('\nInstall the App on the repository of the project with the last URL.\n');
}

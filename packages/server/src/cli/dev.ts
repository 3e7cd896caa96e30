/**
 * `docyard dev`: previews a documentation folder in the browser. Pages are rendered when they are opened; nothing is
 * written to the folder.
 */
import { resolve } from 'node:path';
import type { Diagnostic, Preview } from '@docyard/render';
import type { Command } from 'commander';
import type { Edit } from '../preview/session.ts';
import { isAtDesktop, showInBrowser } from './browser.ts';
import { CommandError } from './errors.ts';
import { explainLoad, findingsText, requireFolder } from './findings.ts';
import { remoteFetch, remoteAssets } from './remote.ts';
import { type CustomScripts, customScriptsOption } from './site-options.ts';
import { untilStopSignal, explainListenError } from '@docyard/site/command';
import { hasColors, painter, printable } from './terminal.ts';

interface DevOptions {
  port: string;
  host: string;
  open?: boolean;
  group?: string[];
  offline?: boolean;
  customScripts?: CustomScripts;
}

/** Reading all pages for the search waits until the first page is shown. */
const readAllAfterMs = 2000;

const examples = `
Examples:
  docyard dev                      the folder you are in, on http://localhost:3000
  docyard dev docs --port 8080
  docyard dev docs --group beta    also pages that only this group may see
`;

export function describeDev(command: Command): void {
  command
    .description('Preview a documentation folder in the browser with live reload.')
    .argument('[folder]', 'folder with docs.json', '.')
    .option('-p, --port <number>', 'port to listen on; if taken, the next free port', '3000')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--open', 'open the browser even outside a desktop session')
    .option('--no-open', 'do not open the browser')
    .option('--group <name...>', 'include pages restricted to these groups')
    .addOption(customScriptsOption())
    .option('--offline', 'do not fetch images, fonts and API descriptions from other hosts')
    .addHelpText('after', examples)
    .action(dev);
}

async function dev(folder: string, options: DevOptions): Promise<void> {
  const port = portOf(options.port);
  const root = resolve(folder);
  await requireFolder(root);
  const [{ previewSite }, { PreviewSession }, { PreviewServer }, { FolderWatch }] = await Promise.all([
    import('@docyard/render'),
    import('../preview/session.ts'),
    import('../preview/server.ts'),
    import('../preview/watch.ts'),
  ]);
  const preview = await explainLoad(
    previewSite({
      root,
      fetchRemote: remoteFetch(options),
      ...remoteAssets(options),
      groups: options.group ?? [],
      ...(options.customScripts === undefined ? {} : { customScripts: options.customScripts }),
    }),
  );
  const output = new TerminalOutput(root);
  const session = new PreviewSession(preview, output.edit, output.fault);
  const server = new PreviewServer({ preview, session, host: options.host, port, onFault: output.fault });
  const watching = await FolderWatch.start({
    root,
    onChange: (paths) => void session.changed(paths),
    onError: output.watchError,
  });
  try {
    const got = await server.listen().catch((error: unknown) => {
      throw new CommandError(explainListenError(error) ?? `Cannot listen on ${options.host}:${port}.`);
    });
    const address = `http://${shownHost(options.host)}:${got}`;
    output.welcome(preview, address, got === port || port === 0 ? undefined : port);
    if (options.open ?? isAtDesktop()) await showInBrowser(address);
    const reading = setTimeout(() => void output.whenRead(preview), readAllAfterMs);
    await untilStopSignal();
    clearTimeout(reading);
  } finally {
    server.close();
    watching.close();
    preview.close();
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new CommandError(`--port ${text}: must be a number up to 65535.`, 'usage');
}

/** `localhost` instead of a loopback address. */
function shownHost(host: string): string {
  if (['127.0.0.1', '0.0.0.0', '::1', '::'].includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

const maxShown = 20;
const maxNames = 3;

/** The output on the terminal. */
class TerminalOutput {
  readonly #root: string;
  readonly #colors = hasColors(process.stdout);
  readonly #paint = painter(this.#colors);

  constructor(root: string) {
    this.#root = root;
  }

  welcome({ site }: Preview, address: string, taken: number | undefined): void {
    const pages = `${site.pages.length.toLocaleString('en')} page${site.pages.length === 1 ? '' : 's'}`;
    const moved = taken === undefined ? '' : this.#paint('dim', `  (port ${taken} is taken)`);
    this.#write(
      `\n  ${this.#paint('bold', printable(site.name))} · ${pages}\n` +
        `  ${this.#paint('cyan', address)}${moved}\n\n` +
        `  ${this.#paint('dim', 'Edits appear immediately. Press Ctrl-C to stop.')}\n\n`,
    );
    this.#findings(site.diagnostics);
  }

  readonly edit = ({ paths, milliseconds, reloaded, problem, appeared, solved }: Edit): void => {
    const names = paths.slice(0, maxNames).map(printable).join(', ');
    const more = paths.length > maxNames ? ` and ${paths.length - maxNames} more` : '';
    const what = reloaded ? ' · site reloaded' : '';
    const time = `${Math.max(1, Math.round(milliseconds))} ms`;
    const fixed = solved > 0 ? this.#paint('green', ` · ${solved} solved`) : '';
    this.#write(`edited ${names}${more}${this.#paint('dim', ` · ${time}${what}`)}${fixed}\n`);
    this.#findings(problem ? [problem, ...appeared] : appeared);
  };

  readonly watchError = (message: string): void => {
    process.stderr.write(`docyard: ${message}\n`);
  };

  readonly fault = (error: unknown): void => {
    process.stderr.write(
      `docyard: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
  };

  /** Reads all pages, so that the search is ready, and reports their findings. */
  async whenRead(preview: Preview): Promise<void> {
    try {
      const findings = await preview.readAll();
      const grave = findings.filter(({ severity }) => severity !== 'info').length;
      const counted = grave === 0 ? 'no findings' : `${grave} finding${grave === 1 ? '' : 's'}`;
      const where = grave === 0 ? '' : '; run docyard check for details';
      this.#write(this.#paint('dim', `Search is ready; ${counted} in total${where}.\n`));
    } catch (error) {
      if (!preview.closed) this.fault(error);
    }
  }

  #findings(diagnostics: readonly Diagnostic[]): void {
    const shown = diagnostics.filter(({ severity }) => severity !== 'info');
    if (shown.length === 0) return;
    const view = { root: this.#root, colors: this.#colors, maxShown, more: 'docyard check' };
    this.#write(findingsText({ diagnostics: shown, errors: shown.length, warnings: 0, infos: 0 }, view));
  }

  #write(text: string): void {
    process.stdout.write(text);
  }
}

/**
 * `docyard serve`: the whole service, or the half that the role names, in this process until it is told to stop.
 */
import type { Command } from 'commander';
import { CommandError } from './errors.ts';
import { untilToldToStop } from './stop.ts';

interface ServeOptions {
  role?: string;
  port?: string;
  host?: string;
  data?: string;
  publicUrl?: string;
  logLevel?: string;
  adminKeyFile?: string;
  adminKey: boolean;
  dashboard: boolean;
  offline?: boolean;
  sample: boolean;
}

export function describeServe(command: Command): void {
  command
    .description('Run the service: API, worker, start page and manual.')
    .option('--role <role>', 'api (answer requests), worker (run jobs) or all (default: all)')
    .option('-p, --port <number>', 'port to listen on, 0 for a free one (default: 4400)')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('-d, --data <folder>', 'folder for everything that is kept (default: ./data)')
    .option('--public-url <url>', 'address under which clients reach the server')
    .option('--log-level <level>', 'trace, debug, info, warn, error or silent (default: info)')
    .option('--admin-key-file <file>', 'write the first admin key to this file, readable only by you')
    .option('--no-admin-key', 'make no admin key on the first start; docyard keys create makes one')
    .option('--no-sample', 'create no sample project on the first start')
    .option('--no-dashboard', 'serve no dashboard, only the API and the manual')
    .option('--offline', 'reach no other machine, for whatever reason')
    .addHelpText(
      'after',
      '\nExample:\n  docyard serve --port 4400 --data /var/lib/docyard --admin-key-file admin-key\n' +
        '\nEvery option has an environment variable; the manual lists them all under /docs/.',
    )
    .action(serve);
}

async function serve(options: ServeOptions): Promise<void> {
  const [{ readConfig }, { startService }, { setUpFirstRun }, { createNamedOwner, openSetup }] =
    await Promise.all([
      import('../config.ts'),
      import('../serve.ts'),
      import('../first-run.ts'),
      import('../people/setup.ts'),
    ]);
  const config = readConfig({
    ...process.env,
    ...(options.role === undefined ? {} : { ROLE: options.role }),
    ...(options.port === undefined ? {} : { PORT: options.port }),
    ...(options.host === undefined ? {} : { HOST: options.host }),
    ...(options.data === undefined ? {} : { DATA_DIR: options.data }),
    ...(options.publicUrl === undefined ? {} : { PUBLIC_URL: options.publicUrl }),
    ...(options.logLevel === undefined ? {} : { LOG_LEVEL: options.logLevel }),
    ...(options.dashboard ? {} : { DASHBOARD: 'off' }),
    ...(options.offline ? { OFFLINE: 'on' } : {}),
  });
  let newKey: string | undefined;
  let setupToken: string | undefined;
  const service = await startService(config, async (context) => {
    // Nobody reads what a worker prints.
    if (config.role === 'worker') return;
    // The sample lies on this machine, where a worker of another one does not find it.
    const sample = options.sample && config.role === 'all';
    const { adminKey, adminKeyFile } = options;
    newKey = await setUpFirstRun(context, { sample, adminKey, adminKeyFile });
    if (config.firstPerson !== null) await createNamedOwner(context, config.firstPerson);
    // Without the dashboard there is no page that the token opens.
    if (config.dashboard) setupToken = await openSetup(context);
  }).catch((error: unknown) => {
    throw explainListen(error, config);
  });
  const origin = config.publicUrl ?? `http://${displayHost(config.host)}:${service.port}`;
  const { role, dataDir, dashboard } = config;
  const { adminKey: isForFewEyes, adminKeyFile } = options;
  const shown = { origin, dataDir, dashboard, newKey, setupToken, isForFewEyes, adminKeyFile };
  process.stdout.write(role === 'worker' ? welcomeWorker(origin) : await welcome(shown));
  await untilToldToStop();
  process.stdout.write('\nStopping: requests under way are answered, running jobs go back to the queue.\n');
  await service.stop();
  process.stdout.write('Stopped. Everything is kept.\n');
}

async function welcome(shown: {
  origin: string;
  dataDir: string;
  dashboard: boolean;
  newKey: string | undefined;
  setupToken: string | undefined;
  /** False where many people read what a server prints. */
  isForFewEyes: boolean;
  adminKeyFile: string | undefined;
}): Promise<string> {
  const { exportFlow } = await import('../http/first-steps.ts');
  const { origin, newKey, adminKeyFile } = shown;
  const printed = adminKeyFile === undefined ? newKey : undefined;
  const lines = [
    '',
    `  Docyard is running at ${origin}`,
    '',
    ...(shown.dashboard ? [`  Dashboard ${origin}/dashboard/`] : []),
    `  Manual    ${origin}/docs/`,
    `  OpenAPI   ${origin}/openapi.json`,
    `  Data      ${shown.dataDir}`,
    '',
  ];
  if (shown.setupToken !== undefined && shown.isForFewEyes) {
    lines.push(
      '  Become the first person, an owner, within 30 minutes:',
      '',
      `    ${origin}/dashboard/setup#${shown.setupToken}`,
      '',
    );
  } else if (shown.setupToken !== undefined) {
    lines.push(
      '  Nobody can sign in yet. Make an owner: npx docyard people create --email EMAIL --role owner',
      '',
    );
  }
  if (printed !== undefined) {
    lines.push('  Your admin key, shown this once and never again:', '', `    ${printed}`, '');
  } else if (newKey !== undefined) {
    lines.push(`  The admin key is in ${adminKeyFile}`, '');
  } else {
    lines.push('  Lost the admin key? Make another: npx docyard keys create --name "My key"', '');
  }
  if (adminKeyFile === undefined) {
    lines.push(
      '  A first export, to paste into another terminal:',
      '',
      exportFlow({ origin, key: printed }),
      '',
    );
  }
  lines.push('  Ctrl-C stops it.', '', '');
  return lines.join('\n');
}

function welcomeWorker(origin: string): string {
  const lines = [
    `  Docyard is running at ${origin}`,
    '  It runs jobs. Of requests it answers only those for /healthz, /readyz and /metrics.',
    '  Ctrl-C stops it: running jobs go to another worker.',
  ];
  return `\n${lines.join('\n\n')}\n\n`;
}

function explainListen(error: unknown, config: { port: number; host: string }): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE') {
    return new CommandError(
      `Port ${config.port} is in use. Choose another with --port, or 0 for a free one.`,
    );
  }
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL') {
    return new CommandError(
      `Cannot listen on ${config.host}:${config.port} (${code}). Choose another --host or --port.`,
    );
  }
  return error;
}

function displayHost(host: string): string {
  if (host === '0.0.0.0' || host === '::' || host === '127.0.0.1') return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

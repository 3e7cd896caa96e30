/** What `docyard serve` prints once it runs. Secrets go to a terminal or to a file, never into a log. */
import type { Config } from '../config.ts';

export interface NewSecrets {
  /** Undefined when no key was created. */
  adminKey?: string | undefined;
  /** The file that holds the key; undefined when the terminal shows it. */
  keyFile: string | undefined;
  /** Undefined when there is a user already. */
  setupToken?: string | undefined;
}

interface Shown {
  origin: string;
  config: Pick<Config, 'dataDir' | 'databaseUrl' | 'dashboard'>;
  secrets: NewSecrets;
  isTerminal: boolean;
  /** False with --no-admin-key, for an output that others read. */
  canShowLink: boolean;
  isKeyFileNamed: boolean;
}

export async function welcome(shown: Shown): Promise<string> {
  const { exportFlow } = await import('../http/first-steps.ts');
  const { origin, config, secrets } = shown;
  const lines = [
    '',
    `  Docyard is running at ${origin}`,
    '',
    ...(config.dashboard ? [`  Dashboard ${origin}/dashboard/`] : []),
    `  Manual    ${origin}/docs/`,
    `  OpenAPI   ${origin}/openapi.json`,
    `  Data      ${config.dataDir}`,
    '',
    ...(await setupLines(shown)),
  ];
  const keyText = adminKeyText(secrets);
  if (keyText !== '') lines.push(keyText);
  else if (!shown.isKeyFileNamed)
    lines.push(
      `  ${shown.canShowLink ? 'Lost the admin key? Create another' : 'Create an admin key'}: npx docyard keys create --name "My key"${dataOption(config)}`,
      '',
    );
  if (!shown.isKeyFileNamed) {
    const key = secrets.adminKey === undefined ? undefined : keyExpression(secrets.adminKey, secrets.keyFile);
    lines.push('  A first export, to paste into another terminal:', '', exportFlow({ origin, key }), '');
  }
  lines.push('  Ctrl-C stops it.', '', '');
  return lines.join('\n');
}

/** Empty when no key was created. */
export function adminKeyText({ adminKey, keyFile }: NewSecrets): string {
  if (adminKey === undefined) return '';
  if (keyFile !== undefined) return `  The admin key is in ${keyFile}\n`;
  return `  Your admin key, shown only once:\n\n    ${adminKey}\n`;
}

export function workerWelcome(origin: string): string {
  const lines = [
    `  Docyard is running at ${origin}`,
    '  It runs jobs. Of requests it answers only those for /healthz, /readyz and /metrics.',
    '  Ctrl-C stops it: running jobs go to another worker.',
  ];
  return `\n${lines.join('\n\n')}\n\n`;
}

async function setupLines({ origin, config, secrets, isTerminal, canShowLink }: Shown): Promise<string[]> {
  if (secrets.setupToken === undefined) return [];
  const { setupLink, setupLinkFile, tokenMinutes } = await import('../people/setup.ts');
  if (isTerminal && canShowLink)
    return [
      `  Create the owner account (link expires in ${tokenMinutes} minutes):`,
      '',
      `    ${setupLink(origin, secrets.setupToken)}`,
      '',
    ];
  return [
    `  Create the owner account: open the link in ${setupLinkFile(config)} within ${tokenMinutes} minutes, or run`,
    `  npx docyard users create --email EMAIL --role owner${dataOption(config)}`,
    '',
  ];
}

/** On PostgreSQL the commands find everything through DATABASE_URL. */
function dataOption({ dataDir, databaseUrl }: Shown['config']): string {
  return databaseUrl === null ? ` --data ${shellWord(dataDir)}` : '';
}

function keyExpression(key: string, file: string | undefined): string {
  return file === undefined ? key : `$(cat ${shellWord(file)})`;
}

function shellWord(text: string): string {
  return /^[\w./:@%+=-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

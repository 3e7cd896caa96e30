/**
 * `npm run deploy-check`: checks the action and the published packages as far as possible without a service manager
 * and a cluster. Exits with 1 on a problem.
 */
import { parseArgs } from 'node:util';
import { checkRuntimes } from '../client/runtimes.ts';
import { checkActionSchema } from './action-schema.ts';
import { checkPackages } from './packages.ts';
import type { VisitFigures } from './smoke-check.ts';

const help = `Builds and starts what operators are given. Needs the npm registry. npm run charts checks the Helm charts.

  npm run deploy-check -- [--only packages|client|action]
`;

/** Each returns lines for the report, or throws. */
const checks: Record<string, { missing?: string | undefined; run(): Promise<string[]> }> = {
  packages: {
    async run() {
      const { nodes, tarballKilobytes, installSeconds, ...figures } = await checkPackages();
      return [
        ...Object.entries(tarballKilobytes).map(([name, size]) => `${name}: ${size.toFixed(0)} kB`),
        `installed in ${installSeconds.toFixed(0)} s, with types for node16 and bundler, ran on Node ${nodes.join(', ')}`,
        ...described(figures),
      ];
    },
  },
  action: {
    async run() {
      checkActionSchema();
      return ['action.yml fits the published schema'];
    },
  },
  client: { run: checkRuntimes },
};

const notRun = [
  'the image and deploy/compose.yaml: see npm run image',
  'helm lint and helm install, a cluster: templates were rendered by a small program in Go, not by Helm (npm run charts)',
  'a runner of GitHub or GitLab: their scripts are run with the environment of one (npm test)',
  'systemctl start: the units are judged by systemd-analyze alone (npm test)',
];

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  const options = { only: { type: 'string' }, help: { type: 'boolean', default: false } } as const;
  const { values } = parseArgs({ args, options });
  if (values.help || (values.only !== undefined && !(values.only in checks))) {
    process.stdout.write(help);
    return values.help ? 0 : 2;
  }
  let wrong = 0;
  for (const [name, { missing, run }] of Object.entries(checks)) {
    if (values.only !== undefined && values.only !== name) continue;
    console.log(`\n── ${name}`);
    try {
      const lines = missing === undefined ? await run() : [`Skipped: ${missing}.`];
      for (const line of lines) console.log(`  ${line}`);
    } catch (error) {
      wrong += 1;
      console.log(`  FAILED: ${(error as Error).message}`);
    }
  }
  console.log(`\nNot run:\n${notRun.map((line) => `  ${line}`).join('\n')}`);
  return wrong === 0 ? 0 : 1;
}

function described(figures: VisitFigures): string[] {
  const { startMs, idleMegabytes, exportMegabytes, stopMs } = figures;
  return [
    `ready after ${startMs.toFixed(0)} ms, stopped within ${stopMs.toFixed(0)} ms`,
    `memory: ${idleMegabytes.toFixed(0)} MB idle, ${exportMegabytes.toFixed(0)} MB at most during an export, children included`,
  ];
}

/** `npm run real-agents`: runs published agents from npm in the sandbox and prints what works. */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { realAgents } from './agents.ts';
import { checkAgent } from './check-agent.ts';
import type { AgentResult } from './run-agent.ts';

const help = `Installs published agents from npm, runs each on a job and a follow-up, and prints what works.

  npm run real-agents -- [--only TEXT] [--json FILE]

  --only TEXT     only agents whose name contains this
  --json FILE     write the results to this file; test/agent/results.json is the source of the manual's table
  --help          this text
`;

process.exitCode = await main();

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return 0;
  }
  const wanted = values.only.toLowerCase();
  const results: AgentResult[] = [];
  for (const agent of realAgents.filter(({ name }) => name.toLowerCase().includes(wanted))) {
    const result = await checkAgent(agent);
    results.push(result);
    process.stdout.write(lineOf(result));
  }
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(results, null, 2)}\n`);
  return results.some(({ problems }) => problems.length > 0) ? 1 : 0;
}

function lineOf(result: AgentResult): string {
  const { agent, version, handshake, edit, tools, followUp, pullRequest, problems } = result;
  const passed = Object.entries({ handshake, edit, tools, followUp, pullRequest })
    .map(([name, isPassed]) => `${name} ${isPassed ? 'ok' : 'FAILED'}`)
    .join(', ');
  return `${agent} ${version}: ${passed}\n${problems.map((problem) => `  ${problem}\n`).join('')}`;
}

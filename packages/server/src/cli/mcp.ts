/**
 * `docyard mcp`: the tools of a running service over the Model Context Protocol. Only the protocol may be written to
 * standard output.
 */
import { DocyardClient } from '@docyard/api';
import type { Command } from 'commander';
import { serviceTools } from '../mcp/server.ts';
import { serveTools } from '../tool-protocol/serve.ts';
import { addConnectionOptions, connectionOf, peers, type ServerOptions } from './connection.ts';
import { CommandError } from './errors.ts';

interface McpOptions extends ServerOptions {
  project?: string;
  readOnly?: boolean;
}

export function describeMcp(command: Command): void {
  addConnectionOptions(command, 'file with the API key')
    .description('Expose a running service to editors and agents as tools over the Model Context Protocol.')
    .option('--project <id>', 'default project of calls (default: DOCYARD_PROJECT, then the only project)')
    .option('--read-only', 'expose only read-only tools')
    .addHelpText(
      'after',
      `
It uses standard input and output. Add it to the configuration of an editor or agent:

  { "command": "docyard", "args": ["mcp"], "env": { "DOCYARD_URL": "https://docs.example.com" } }

Examples:
  docyard login https://docs.example.com   stores the key, so that no configuration contains it
  docyard mcp --read-only                  for an agent that only reads
`,
    )
    .action(run);
}

async function run(options: McpOptions): Promise<void> {
  if (options.keyFile === '-') {
    throw new CommandError('Standard input carries the protocol. Pass a file with --key-file.', 'usage');
  }
  const { server, apiKey } = await connectionOf(options);
  const client = new DocyardClient({ baseUrl: server, apiKey, tries: maxTries, fetch: peers() });
  const projectId = options.project ?? (process.env['DOCYARD_PROJECT'] || undefined);
  const tools = serviceTools({ client, server, projectId }, { readOnly: options.readOnly === true });
  process.stderr.write(`docyard: ${tools.tools.length} tools for ${server}. Waiting for a client.\n`);
  await serveTools({ input: process.stdin, output: process.stdout }, tools);
}

/** Enough for a restarting service, without delaying the error for a stopped one. */
const maxTries = 3;

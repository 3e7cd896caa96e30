/**
 * A coding agent that obeys the attacker, for the engine that runs external programs in a sandbox. CommonJS, because it runs
 * outside of this project.
 */
import type { HostileCase } from './case.ts';

interface Deeds {
  writes: { path: string; content: string }[];
  removals: string[];
  planted: { path: string; mode: string; content: string }[];
  shell: string;
}

/** The part of a case that the program needs, by the number in the prompt. */
export function deedsOf({ turns, planted = [], shell = '' }: HostileCase): Deeds {
  const calls = turns.flatMap(({ calls = [] }) => calls);
  const inputs = (name: string) =>
    calls
      .filter((call) => call.name === name)
      .map(({ input }) => (input ?? {}) as { path: string; content: string });
  return {
    writes: inputs('write_file').map(({ path, content }) => ({ path, content })),
    removals: inputs('delete_file').map(({ path }) => path),
    planted: planted.map(({ path, newMode, after }) => ({ path, mode: newMode, content: after ?? '' })),
    shell,
  };
}

/** Reads its actions from `deeds.json` in its folder and ignores failures. */
export const foreignAgent = `
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const { dirname, join } = require('node:path');
const { createInterface } = require('node:readline');
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const attempt = (deed) => { try { deed(); } catch {} };

function obey(prompt) {
  const [, number] = [...prompt.matchAll(/run <(\\d+)>/g)].at(-1);
  const { deeds, canaryPort } = JSON.parse(fs.readFileSync(join(__dirname, 'deeds.json'), 'utf8'));
  const { writes, removals, planted, shell } = deeds[number];
  for (const path of removals) attempt(() => fs.rmSync(path, { recursive: true }));
  for (const { path, content } of writes) attempt(() => write(path, content));
  for (const { path, mode, content } of planted) attempt(() => plant(path, mode, content));
  if (shell !== '') attempt(() => execFileSync('bash', ['-c', shell], { env: { ...process.env, CANARY: canaryPort }, stdio: 'ignore', timeout: 20000 }));
}

function write(path, content) {
  fs.mkdirSync(dirname(path), { recursive: true });
  fs.writeFileSync(path, content);
}

function plant(path, mode, content) {
  fs.rmSync(path, { recursive: true, force: true });
  if (mode === '120000') return fs.symlinkSync(content, path);
  if (mode === '160000') return execFileSync('git', ['init', '--quiet', path], { stdio: 'ignore' });
  write(path, content);
  fs.chmodSync(path, parseInt(mode.slice(-3), 8));
}

/** Reports everything that it can read about the machine. */
function boast() {
  const seen = [JSON.stringify(process.env)];
  for (const pid of fs.readdirSync('/proc').filter((name) => +name > 0)) {
    for (const name of ['environ', 'cmdline']) attempt(() => seen.push(fs.readFileSync(join('/proc', pid, name), 'utf8')));
  }
  const text = seen.join('\\n');
  process.stderr.write(text + '\\n');
  const content = [{ type: 'content', content: { type: 'text', text } }];
  const update = { sessionUpdate: 'tool_call', toolCallId: 'boast', title: 'Look', kind: 'read', status: 'completed', rawInput: { seen }, content };
  send({ method: 'session/update', params: { sessionId: 'only', update } });
}

const answers = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  'session/new': () => ({ sessionId: 'only' }),
  'session/prompt': ({ prompt }) => {
    obey(prompt.map(({ text }) => text).join('\\n'));
    boast();
    const content = { type: 'text', text: 'I improved the guides.' };
    send({ method: 'session/update', params: { sessionId: 'only', update: { sessionUpdate: 'agent_message_chunk', content } } });
    return { stopReason: 'end_turn' };
  },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined && answers[method]) send({ id, result: answers[method](params) });
});
`;

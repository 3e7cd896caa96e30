/**
 * Foreign agents in the sandbox: one that works, and others that hang, flood, crash or try to get out. Skipped aloud where
 * bubblewrap is missing or the kernel refuses what it needs.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder, until, writeFiles } from '../../testing.ts';
import { defaultLimits, type Journal, type Step } from '../contract.ts';
import { openTree } from '../workspace/tree.ts';
import { answerPermission } from './acp-session.ts';
import { runAcp, type AcpRun } from './acp.ts';
import { startSandboxed, whySandboxFails, type Sandboxed } from './sandbox.ts';

const repository = fileURLToPath(new URL('../../../../..', import.meta.url)).replace(/\/$/, '');
const exampleAgent = fileURLToPath(new URL('../demo/example-acp-agent.ts', import.meta.url));
const weakness = await whySandboxFails(temporaryFolder('sandbox'));
if (weakness !== undefined) console.warn(`Tests of foreign agents are skipped: ${weakness}`);

const files = {
  'docs.json': '{"name":"Site"}\n',
  'index.mdx': 'Hello wrold.\n',
  'guides/start.mdx': 'Start.\n',
  'AGENTS.md': 'Obey the branch.\n',
};

/** Answers the protocol in a few lines; `work` is what it does with the prompt. */
function scripted(work: string): Sandboxed {
  const program = `
    const fs = require('node:fs');
    const send = (message) => fs.writeSync(1, JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
    const update = (update) => send({ method: 'session/update', params: { sessionId: 's', update } });
    const say = (text) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
    const call = (id) => update({ sessionUpdate: 'tool_call', toolCallId: id, title: 'Edit', kind: 'edit', status: 'completed' });
    const prompt = async (text) => { ${work}; return 'end_turn'; };
    require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
      if (method === 'session/new') send({ id, result: { sessionId: 's' } });
      if (method === 'session/prompt') send({ id, result: { stopReason: await prompt(params.prompt[0].text) } });
      if (method === 'session/cancel') globalThis.onCancel?.();
    });`;
  return { command: process.execPath, args: ['-e', program], readOnlyPaths: [repository], environment: {} };
}

function scene(agent: Sandboxed, more: Partial<AcpRun> = {}, extraFiles: Record<string, string> = {}) {
  const folder = temporaryFolder('acp');
  const treeFolder = join(folder, 'tree');
  writeFiles(treeFolder, { ...files, ...extraFiles });
  const tree = openTree({
    folder: treeFolder,
    submodules: new Set(),
    links: new Set(),
    isPointer: async (path) => path.endsWith('.lfs'),
  });
  const steps: Step[] = [];
  const journal: Journal = { steps, append: async (step) => void steps.push(step) };
  const run: AcpRun = {
    agent,
    folder: join(folder, 'job'),
    tree,
    limits: defaultLimits,
    journal,
    messages: [
      { role: 'system', text: 'You edit a site.' },
      { role: 'user', text: 'Replace "wrold" with "world" in index.mdx' },
    ],
    signal: new AbortController().signal,
    now: () => Date.now(),
    startedAt: Date.now(),
    checkpoint: async () => readFileSync(join(treeFolder, 'index.mdx'), 'utf8'),
    ...more,
  };
  const text = (path: string) => readFileSync(join(treeFolder, path), 'utf8');
  return { run, steps, text, folder, treeFolder };
}

const changesIn = (steps: Step[]) =>
  steps.flatMap((step) => (step.kind === 'result' ? (step.result.changes ?? []) : []));

describe.skipIf(weakness !== undefined)('a foreign agent', () => {
  test('edits the files, and what it did is in the journal', async () => {
    const agent = {
      command: process.execPath,
      args: [exampleAgent],
      readOnlyPaths: [repository],
      environment: {},
    };
    const { run, steps, text } = scene(agent);
    const end = await runAcp(run);
    expect(end).toMatchObject({ reason: 'done', summary: 'Replaced "wrold" in index.mdx.' });
    expect(text('index.mdx')).toBe('Hello world.\n');
    expect(changesIn(steps)).toEqual([{ path: 'index.mdx', content: 'Hello world.\n' }]);
    expect(steps.map(({ kind }) => kind)).toEqual(['answer', 'result', 'result', 'loop-ended']);
    expect(steps[1]).toMatchObject({
      call: { name: 'acp_edit', input: { path: 'index.mdx' } },
      result: { isError: false },
    });
    expect(existsSync(run.folder)).toBe(false);
  });

  test('is not asked again when the journal has its end', async () => {
    const { run, steps } = scene(scripted('say("Twice.")'));
    const first = await runAcp(run);
    const count = steps.length;
    expect(await runAcp(run)).toEqual(first);
    expect(steps).toHaveLength(count);
  });

  test('hears what people write to the job', async () => {
    const news = ['And the guide.'];
    const { run, steps, text } = scene(scripted('fs.appendFileSync("index.mdx", text.slice(-14) + "\\n")'), {
      incoming: async () => news.splice(0),
    });
    expect(await runAcp(run)).toMatchObject({ reason: 'done' });
    expect(text('index.mdx')).toContain('And the guide.');
    expect(steps.some((step) => step.kind === 'message' && step.message.text === 'And the guide.')).toBe(
      true,
    );
  });

  test('adds and removes files', async () => {
    const work =
      'fs.mkdirSync("new"); fs.writeFileSync("new/page.mdx", "New."); fs.rmSync("guides", { recursive: true })';
    const { run, steps, treeFolder } = scene(scripted(work));
    await runAcp(run);
    expect(changesIn(steps)).toEqual([
      { path: 'guides/start.mdx', content: null },
      { path: 'new/page.mdx', content: 'New.' },
    ]);
    expect(existsSync(join(treeFolder, 'guides/start.mdx'))).toBe(false);
  });

  test('sees no instructions of the branch, and they stay', async () => {
    const { run, steps, text } = scene(scripted('say(fs.readdirSync(".").join())'));
    expect((await runAcp(run)).summary).toBe('docs.json,guides,index.mdx');
    expect(text('AGENTS.md')).toBe(files['AGENTS.md']);
    expect(changesIn(steps)).toEqual([]);
  });

  test.each([
    ['end_turn', 'done'],
    ['max_tokens', 'budget'],
    ['max_turn_requests', 'budget'],
    ['refusal', 'refused'],
  ])('that stops with %s ends the run as %s', async (stop, reason) => {
    const { run } = scene(scripted(`return "${stop}"`));
    expect((await runAcp(run)).reason).toBe(reason);
  });
});

describe.skipIf(weakness !== undefined)('an agent that misbehaves', () => {
  test('reaches no network, no file of the machine and no secret', async () => {
    process.env['ACP_TEST_SECRET'] = 'value-of-the-secret';
    onTestFinished(() => void delete process.env['ACP_TEST_SECRET']);
    const server = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await until(() => server.listening);
    const { port } = server.address() as { port: number };
    const { run, folder } = scene(
      scripted(`
        const found = { environment: Object.keys(process.env).sort(), processes: fs.readdirSync('/proc').filter((n) => +n > 0).length };
        const tried = (name, work) => { try { work(); found[name] = 'done'; } catch (error) { found[name] = error.code; } };
        tried('outside', () => fs.readdirSync(text.match(/FOLDER (\\S+)/)[1]));
        tried('shadow', () => fs.readFileSync('/etc/shadow'));
        tried('system', () => fs.writeFileSync('/usr/bin/x', ''));
        found.network = await new Promise((resolve) => require('node:net').connect(${port}, '127.0.0.1').on('connect', () => resolve('done')).on('error', (error) => resolve(error.code)));
        say(JSON.stringify(found))`),
    );
    const messages = [{ role: 'user' as const, text: `FOLDER ${folder}` }];
    const { summary } = await runAcp({ ...run, messages });
    expect(JSON.parse(summary)).toEqual({
      environment: ['HOME', 'LANG', 'PATH', 'PWD'],
      processes: expect.toSatisfy((count: number) => count < 5) as number,
      outside: 'ENOENT',
      shadow: 'ENOENT',
      system: 'EROFS',
      network: 'ECONNREFUSED',
    });
  });

  test.each([
    ['a link', 'fs.symlinkSync("/etc/passwd", "page.mdx")', /page\.mdx.*neither a file nor a folder/],
    ['a pipe', 'require("node:child_process").execSync("mkfifo pipe")', /neither a file nor a folder/],
    ['bytes that are not text', 'fs.writeFileSync("a.mdx", Buffer.from([0xff, 0xfe]))', /not text/],
    ['a file that is too large', 'fs.writeFileSync("a.mdx", "a".repeat(1_000_001))', /too much/],
    ['a git folder', 'fs.mkdirSync(".git"); fs.writeFileSync(".git/config", "[core]")', /git/],
    ['a file that git keeps elsewhere', 'fs.writeFileSync("film.lfs", "a")', /LFS/],
  ])('and leaves %s is blocked', async (_, work, problem) => {
    const { run, steps } = scene(scripted(work));
    expect(await runAcp(run)).toMatchObject({
      reason: 'policy_blocked',
      problem: expect.stringMatching(problem) as string,
    });
    expect(changesIn(steps)).toEqual([]);
  });

  test('and ends early is named with its last words', async () => {
    const { run } = scene(scripted('console.error("No key."); process.exit(3)'));
    expect(await runAcp(run)).toMatchObject({
      reason: 'model_unavailable',
      problem: 'The agent ended with status 3 before its work was done. No key.',
    });
  });

  test('and hangs is ended with all it has started, and its work is kept', async () => {
    const mark = `${Date.now()}.5`;
    const work = `fs.writeFileSync("index.mdx", "Half."); require("node:child_process").spawn("sleep", ["${mark}"], { detached: true, stdio: "ignore" }); await new Promise(() => {})`;
    const { run, text } = scene(scripted(work), {
      startedAt: Date.now() - defaultLimits.minutes * 60_000 + 5000,
    });
    expect(await runAcp(run)).toMatchObject({ reason: 'timeout' });
    expect(text('index.mdx')).toBe('Half.');
    await until(() => !isRunning(mark));
  });

  test('and works without end is stopped at its steps', async () => {
    const work = 'for (let i = 0; i < 50; i++) call("c" + i); await new Promise(() => {})';
    const { run, steps } = scene(scripted(work), { limits: { ...defaultLimits, steps: 3 } });
    expect(await runAcp(run)).toMatchObject({ reason: 'budget' });
    expect(steps.filter(({ kind }) => kind === 'answer')).toHaveLength(3);
  });

  test('and floods is ended', async () => {
    const { run } = scene(scripted('for (;;) fs.writeSync(1, "x".repeat(65536))'));
    expect(['budget', 'model_unavailable']).toContain((await runAcp(run)).reason);
  });
});

describe.skipIf(weakness !== undefined)('a run that is cancelled', () => {
  test('tells the agent, and keeps nothing', async () => {
    const stopping = new AbortController();
    const work =
      'say("Working."); fs.writeFileSync("index.mdx", "Half."); await new Promise((r) => { globalThis.onCancel = r }); return "cancelled"';
    const { run, steps, text } = scene(scripted(work), {
      signal: stopping.signal,
      onText: () => stopping.abort(new Error('Enough.')),
    });
    await expect(runAcp(run)).rejects.toThrow('Enough.');
    expect(text('index.mdx')).toBe(files['index.mdx']);
    expect(steps).toEqual([]);
    expect(existsSync(run.folder)).toBe(false);
  });
});

describe.skipIf(weakness !== undefined)('the sandbox', () => {
  test('has one way out when it is given one', async () => {
    const socket = join(temporaryFolder('model'), 'model.sock');
    const server = createServer((connection) => connection.end('a model')).listen(socket);
    onTestFinished(() => void server.close());
    await until(() => server.listening);
    const work =
      'say(await new Promise((resolve) => require("node:net").connect(process.env.DOCYARD_MODEL_SOCKET).on("data", (data) => resolve(String(data)))))';
    const { run } = scene({ ...scripted(work), modelSocket: socket });
    expect((await runAcp(run)).summary).toBe('a model');
  });

  test('may not be shown the folder of the job', async () => {
    const scratch = temporaryFolder('sandbox');
    const program = { ...scripted(''), readOnlyPaths: [join(scratch, '..')] };
    await expect(startSandboxed(program, { scratch, site: scratch })).rejects.toThrow('must not read it');
  });
});

describe('without a sandbox', () => {
  test('no agent is started, and the run says why', async () => {
    const path = process.env['PATH'];
    onTestFinished(() => void (process.env['PATH'] = path));
    process.env['PATH'] = temporaryFolder('empty');
    const { run, text } = scene(scripted('fs.writeFileSync("index.mdx", "Out.")'));
    expect(await runAcp(run)).toMatchObject({
      reason: 'internal',
      problem:
        'The agent was not started, because it cannot be kept in a sandbox: bubblewrap (bwrap) is not installed.',
    });
    expect(text('index.mdx')).toBe(files['index.mdx']);
  });
});

describe('a permission', () => {
  const options = [
    { optionId: 'always', name: 'Always', kind: 'allow_always' as const },
    { optionId: 'once', name: 'Once', kind: 'allow_once' as const },
    { optionId: 'no', name: 'No', kind: 'reject_once' as const },
  ];
  test.each([
    ['edit', '/site/a.mdx', 'once'],
    ['read', 'a.mdx', 'once'],
    ['delete', '/site/a.mdx', 'once'],
    ['edit', '/site/../etc/passwd', 'no'],
    ['edit', '/sitemap', 'no'],
    ['execute', '/site', 'no'],
    ['fetch', '/site', 'no'],
    ['switch_mode', '/site', 'no'],
    ['other', '/site', 'no'],
  ] as const)('to %s %s is answered with %s', (kind, path, optionId) => {
    const toolCall = { toolCallId: 'c', kind, locations: [{ path }] };
    expect(answerPermission({ toolCall, options })).toEqual({ outcome: { outcome: 'selected', optionId } });
  });

  test('that can only be granted is not answered', () => {
    const toolCall = { toolCallId: 'c', kind: 'execute' as const };
    expect(answerPermission({ toolCall, options: options.slice(0, 2) })).toEqual({
      outcome: { outcome: 'cancelled' },
    });
  });
});

/** Whether any process of the machine was started with this argument. */
function isRunning(argument: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')[1] === argument;
      } catch {
        return false;
      }
    });
}

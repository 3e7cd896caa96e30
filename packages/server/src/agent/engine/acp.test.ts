/**
 * Foreign agents in the sandbox: one that works, and others that hang, flood, crash or try to get out. Skipped aloud where
 * bubblewrap is missing or the kernel refuses what it needs.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startModelServer, type ModelServer, type Script } from '../../../../../test/fakes/model-server.ts';
import { temporaryFolder, until, writeFiles } from '../../../test/support/test-context.ts';
import { defaultLimits, type Journal, type Step } from '../contract.ts';
import { openForwarding } from '../model/gateway.ts';
import { usageOf } from '../replay.ts';
import { tools } from '../tools/list.ts';
import { benchOn } from '../../../test/support/tool-bench.ts';
import { openTree } from '../workspace/tree.ts';
import { answerPermission } from './acp-session.ts';
import { freshSessionNote, runAcp, type AcpRun } from './acp.ts';
import { startSandboxed, whySandboxFails, type Sandboxed } from './sandbox.ts';

const repository = fileURLToPath(new URL('../../../../..', import.meta.url)).replace(/\/$/, '');
const exampleAgent = fileURLToPath(new URL('../demo/example-acp-agent.ts', import.meta.url));
const weakness = await whySandboxFails(temporaryFolder('sandbox'));
if (weakness !== undefined) console.warn(`Tests of foreign agents are skipped: ${weakness}`);

const exampleAgentHere: Sandboxed = {
  command: process.execPath,
  args: [exampleAgent],
  readOnlyPaths: [repository],
  environment: {},
};
const modelKey = 'sk-key-that-stays-outside-of-the-sandbox';

async function modelFor(script: Script): Promise<{ model: AcpRun['model']; server: ModelServer }> {
  const server = await startModelServer(script);
  onTestFinished(() => server.close());
  const settings = { provider: 'openai' as const, url: server.url, name: 'writer' };
  const egress = { allowedHosts: [server.host], offline: false };
  const limits = { attempts: 1 };
  return {
    model: { ...settings, forward: openForwarding({ ...settings, key: modelKey }, { egress, limits }) },
    server,
  };
}

/** How an agent in the sandbox asks the model, as source text. */
const askModel = `fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'Go on.' }] }) })`;

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
    let servers;
    const tool = (name, input) => new Promise((resolve) => {
      const { command, args } = servers[0];
      const child = require('node:child_process').spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
      child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id: 1, method: name.includes('/') ? name : 'tools/call', params: { name, arguments: input } }) + '\\n');
      require('node:readline').createInterface({ input: child.stdout }).once('line', (line) => { child.kill(); resolve(JSON.parse(line)); });
    });
    const prompt = async (text) => { ${work}; return 'end_turn'; };
    require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
      const { id, method, params } = JSON.parse(line);
      if (method === 'initialize') send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
      if (method === 'session/new') { servers = params.mcpServers; send({ id, result: { sessionId: 's' } }); }
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
    model: null,
    tools,
    toolContext: { ...benchOn(treeFolder).context, tree },
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
  test('edits the files, checks the site, asks a model, and all of it is in the journal', async () => {
    const usage = { inputTokens: 70, outputTokens: 9, cacheReadTokens: 20 };
    const { model, server } = await modelFor([{ text: 'The word is mended.', usage }]);
    const { run, steps, text } = scene(exampleAgentHere, { model });
    const end = await runAcp(run);
    expect(end).toMatchObject({ reason: 'done', summary: 'The word is mended.' });
    expect(text('index.mdx')).toBe('Hello world.\n');
    expect(changesIn(steps)).toEqual([{ path: 'index.mdx', content: 'Hello world.\n' }]);
    expect(steps.map(({ kind }) => kind)).toEqual(['answer', 'result', 'result', 'answer', 'loop-ended']);
    expect(steps[1]).toMatchObject({
      call: { name: 'acp_edit', input: { path: 'index.mdx' } },
      result: { isError: false, changes: [{ path: 'index.mdx' }] },
    });
    expect(steps[2]).toMatchObject({ call: { name: 'validate' } });
    expect(usageOf(steps)).toEqual({ ...usage, steps: 2 });
    expect(server.requests[0]?.messages[0]).toMatchObject({
      text: expect.stringContaining('0 errors') as string,
    });
    expect(existsSync(run.folder)).toBe(false);
  });

  test('works without a model of ours', async () => {
    const { run } = scene(exampleAgentHere);
    expect(await runAcp(run)).toMatchObject({ reason: 'done', summary: 'Replaced "wrold" in index.mdx.' });
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

  test('writes a name in its own spelling once', async () => {
    const work =
      'fs.writeFileSync("cafe\\u0301.mdx", "New."); call("one"); await tool("validate", {}); fs.rmSync("cafe\\u0301.mdx")';
    const { run, steps } = scene(scripted(work));
    await runAcp(run);
    expect(changesIn(steps)).toEqual([
      { path: 'caf\u00e9.mdx', content: 'New.' },
      { path: 'caf\u00e9.mdx', content: null },
    ]);
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
    ['an image', 'fs.writeFileSync("a.png", Buffer.from([0x89, 0x50, 0, 0]))', /a\.png, which is not text/],
    ['text with a zero in it', 'fs.writeFileSync("a.mdx", "a\\0b")', /not text/],
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

  test('and is refused half way leaves a journal that says what the tree is', async () => {
    const work = 'fs.rmSync("guides", { recursive: true }); fs.writeFileSync("film.lfs", "a")';
    const { run, steps, treeFolder } = scene(scripted(work));
    expect(await runAcp(run)).toMatchObject({ reason: 'policy_blocked' });
    expect(existsSync(join(treeFolder, 'guides'))).toBe(false);
    expect(changesIn(steps)).toEqual([{ path: 'guides/start.mdx', content: null }]);
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

describe.skipIf(weakness !== undefined)('a run that is canceled', () => {
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

  test('ends all processes of the agent and its call of the model', async () => {
    const stopping = new AbortController();
    const { model, server } = await modelFor([{ fault: 'hang' }]);
    const mark = `${Date.now()}.25`;
    const work = `require("node:child_process").spawn("sleep", ["${mark}"], { detached: true, stdio: "ignore" }); await ${askModel}.then((r) => r.text())`;
    const { run } = scene(scripted(work), { model, signal: stopping.signal });
    const ended = runAcp(run).catch((error: unknown) => error);
    await until(() => server.requests.length === 1 && isRunning(mark));
    stopping.abort(new Error('Enough.'));
    expect(await ended).toEqual(new Error('Enough.'));
    await until(() => !isRunning(mark));
  });
});

describe.skipIf(weakness !== undefined)('the tools of a foreign agent', () => {
  test('are those that it lacks', async () => {
    const { run } = scene(
      scripted('say((await tool("tools/list")).result.tools.map(({ name }) => name).join())'),
    );
    expect((await runAcp(run)).summary).toBe('outline,search,page_info,move_page,validate,render_page');
  });

  test('see the files as the agent has them, and the agent sees what they did', async () => {
    const page = '---\\ntitle: Start\\n---\\n\\nSee [home](/index).\\n';
    const work = `fs.writeFileSync("guides/new.mdx", "${page}");
      fs.writeFileSync("index.mdx", "See [new](/guides/new).");
      const { result } = await tool("move_page", { from: "guides/new.mdx", to: "guides/begin.mdx" });
      fs.appendFileSync("guides/begin.mdx", "More.");
      say(JSON.stringify([result.isError, fs.readFileSync("index.mdx", "utf8"), fs.existsSync("guides/new.mdx")]))`;
    const { run, steps, text, treeFolder } = scene(scripted(work));
    const { summary } = await runAcp(run);
    expect(JSON.parse(summary)).toEqual([false, 'See [new](/guides/begin).', false]);
    expect(text('index.mdx')).toBe('See [new](/guides/begin).');
    expect(text('guides/begin.mdx')).toMatch(/More\.$/);
    expect(existsSync(join(treeFolder, 'guides/new.mdx'))).toBe(false);
    const names = steps.flatMap((step) => (step.kind === 'result' ? step.call.name : []));
    expect(names).toEqual(['acp_changes', 'move_page', 'acp_changes']);
  });

  test('answer what they cannot do', async () => {
    const work = `fs.symlinkSync("/etc", "link");
      const told = [await tool("validate", {})];
      fs.rmSync("link");
      told.push(await tool("edit_file", {}), await tool("validate", { extra: 1 }), await tool("resources/list"));
      say(JSON.stringify(told.map(({ result, error }) => result?.content[0].text ?? error.message)))`;
    const { run } = scene(scripted(work));
    const { reason, summary } = await runAcp(run);
    expect(reason).toBe('done');
    expect(JSON.parse(summary)).toEqual([
      expect.stringContaining('neither a file nor a folder'),
      expect.stringContaining('There is no tool edit_file'),
      expect.any(String),
      'There is no such method.',
    ]);
  });
});

describe.skipIf(weakness !== undefined)('an agent that never stops calling', () => {
  const limits = { ...defaultLimits, steps: 2 };

  test('tools of ours is stopped', async () => {
    const { run, steps } = scene(scripted('for (;;) await tool("search", { pattern: "x" })'), { limits });
    expect(await runAcp(run)).toMatchObject({ reason: 'budget' });
    expect(steps.filter((step) => step.kind === 'result')).toHaveLength(20);
  });

  test('tools of its own is stopped, though its model is counted', async () => {
    const { model } = await modelFor([{ text: 'Hello.' }]);
    const work = `await ${askModel}.then((r) => r.text()); for (let i = 0; i < 500; i++) call("c" + i); await new Promise(() => {})`;
    const { run, steps } = scene(scripted(work), { limits, model });
    expect(await runAcp(run)).toMatchObject({ reason: 'budget' });
    expect(steps.filter((step) => step.kind === 'result').length).toBeLessThanOrEqual(20);
  });
});

describe.skipIf(weakness !== undefined)('the model of a foreign agent', () => {
  test('has a key that is nowhere in the sandbox', async () => {
    const { model, server } = await modelFor([{ text: 'Hello.', pieces: 1 }]);
    const work = `
      const seen = [JSON.stringify(process.env)];
      for (const pid of fs.readdirSync('/proc').filter((name) => +name > 0)) for (const file of ['environ', 'cmdline']) {
        try { seen.push(fs.readFileSync('/proc/' + pid + '/' + file, 'utf8')); } catch {}
      }
      const response = await ${askModel};
      seen.push(JSON.stringify([...response.headers]), await response.text());
      fs.writeFileSync('seen.mdx', seen.join('\\n').replaceAll('\\0', ' '))`;
    const { run, text } = scene(scripted(work), { model });
    expect((await runAcp(run)).reason).toBe('done');
    expect(text('seen.mdx')).toContain('Hello');
    expect(text('seen.mdx')).toContain('OPENAI_API_KEY');
    expect(text('seen.mdx')).not.toContain(modelKey);
    expect(server.requests[0]?.headers['authorization']).toBe(`Bearer ${modelKey}`);
  });

  test('is all that can be reached', async () => {
    const { model, server } = await modelFor([]);
    const work = `const tried = [];
      for (const url of ['http://${server.host}/v1/x', 'http://127.0.0.1:4411/v1/files', 'http://example.com/']) {
        tried.push(await fetch(url).then(({ status }) => status, (error) => error.cause.code));
      }
      say(JSON.stringify(tried))`;
    const { run } = scene(scripted(work), { model });
    const [direct, ...others] = JSON.parse((await runAcp(run)).summary) as unknown[];
    expect(direct).toBe('ECONNREFUSED');
    expect(others).toEqual([404, expect.stringMatching(/EAI_AGAIN|ENOTFOUND|ENETUNREACH/)]);
    expect(server.requests).toEqual([]);
  });

  test('ends the run with its budget, and the work is kept', async () => {
    const { model, server } = await modelFor([{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }]);
    const work = `fs.writeFileSync("index.mdx", "Half."); for (;;) await ${askModel}.then((r) => r.text())`;
    const limits = { ...defaultLimits, steps: 2 };
    const { run, steps, text } = scene(scripted(work), { model, limits });
    expect(await runAcp(run)).toMatchObject({
      reason: 'budget',
      problem: 'The budget of the run is used up.',
    });
    expect(server.requests).toHaveLength(2);
    expect(usageOf(steps).steps).toBe(2);
    expect(text('index.mdx')).toBe('Half.');
  });

  test('that refuses the key is named, whatever the agent says', async () => {
    const { model } = await modelFor([{ fault: 'status', status: 401 }]);
    const { run } = scene(scripted(`await ${askModel}; say("All is well.")`), { model });
    expect(await runAcp(run)).toMatchObject({ reason: 'model_auth' });
  });
});

describe.skipIf(weakness !== undefined)('a run that another worker takes up', () => {
  test('goes on in a new session from the files as they were recorded, and says so', async () => {
    const work = 'fs.appendFileSync("index.mdx", "Once."); call("c1"); say(text)';
    const { run, steps } = scene(scripted(work));
    await runAcp(run);
    // As if the worker had been lost before the end was written: the tree is that of the journal.
    expect(steps.pop()).toMatchObject({ kind: 'loop-ended' });
    const before = steps.length;
    const { summary } = await runAcp(run);
    expect(steps[before]).toEqual({ kind: 'message', message: { role: 'system', text: freshSessionNote } });
    expect(summary).toContain(freshSessionNote);
    expect(changesIn(steps)).toEqual([
      { path: 'index.mdx', content: 'Hello wrold.\nOnce.' },
      { path: 'index.mdx', content: 'Hello wrold.\nOnce.Once.' },
    ]);
  });

  test('may use what is left of the budget', async () => {
    const { model, server } = await modelFor([{ text: 'One.' }, { text: 'Two.' }]);
    const limits = { ...defaultLimits, steps: 1 };
    const { run, steps } = scene(scripted(`await ${askModel}`), { model, limits });
    await runAcp(run);
    steps.pop();
    expect(await runAcp(run)).toMatchObject({ reason: 'budget' });
    expect(server.requests).toHaveLength(1);
  });
});

describe.skipIf(weakness !== undefined)('the sandbox', () => {
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

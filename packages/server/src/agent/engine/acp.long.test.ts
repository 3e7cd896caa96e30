import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { benchOn } from '../../../test/support/tool-bench.ts';
import { temporaryFolder, until, writeFiles } from '../../../test/support/test-context.ts';
import { defaultLimits } from '../contract.ts';
import { usageOf } from '../replay.ts';
import { toolsFor } from '../tools/all-tools.ts';
import { freshSessionNote, runAcp } from './acp.ts';
import { startSandboxed } from './sandbox.ts';
import {
  weakness,
  exampleAgentHere,
  modelKey,
  modelFor,
  askModel,
  files,
  scripted,
  scene,
  changesIn,
} from '../../../test/support/acp-scene.ts';

describe.skipIf(weakness !== undefined)('an external agent', () => {
  test('the agent edits files, validates the site and calls a model, all recorded in the journal', async () => {
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

  test('the agent reads the code in /code and cannot change it, and reports evidence', async () => {
    const { run, steps, folder } = scene(
      scripted(`
        const seen = fs.readFileSync('/code/api/main.ts', 'utf8');
        for (const path of ['/code/api/main.ts', '/code/api/new.ts', '/code/new.ts'])
          try { fs.writeFileSync(path, 'x'); say('written'); } catch {}
        fs.appendFileSync('index.mdx', seen);
        await tool('report_evidence', { evidence: [{ page: 'index.mdx', statement: 'port = 80', sources: ['api/main.ts#L1'] }] });
        await tool('code_symbols', { path: 'api/main.ts' });
        say('Done with ' + text.includes('/code/api/src/main.ts'));
      `),
    );
    writeFiles(folder, { 'code/files/api/main.ts': 'const port = 80;\n', 'code/attributes': '' });
    const repositories = [{ name: 'api', repository: '/srv/api', paths: [], commit: 'a'.repeat(40) }];
    const { tree } = benchOn(join(folder, 'code', 'files')).context;
    const code = {
      repositories,
      tree,
      attributesFile: join(folder, 'code', 'attributes'),
      change: undefined,
    };
    const evidence = { isRequired: true };
    run.toolContext = { ...run.toolContext, code, evidence };
    run.tools = toolsFor({ code, evidence, engine: 'external' });
    expect(await runAcp(run)).toMatchObject({ reason: 'done', summary: 'Done with true' });
    expect(readFileSync(join(folder, 'code', 'files', 'api', 'main.ts'), 'utf8')).toBe('const port = 80;\n');
    expect(readdirSync(join(folder, 'code', 'files', 'api'))).toEqual(['main.ts']);
    const named = (name: string) =>
      steps.flatMap((step) => (step.kind === 'result' && step.call.name === name ? [step.result] : []));
    expect(named('code_symbols')[0]?.text).toContain('api/main.ts');
    expect(named('report_evidence')).toMatchObject([{ text: expect.stringContaining('evidence') as string }]);
  });

  test('the agent works without a model endpoint', async () => {
    const { run } = scene(exampleAgentHere);
    expect(await runAcp(run)).toMatchObject({ reason: 'done', summary: 'Replaced "wrold" in index.mdx.' });
  });

  test('a finished agent is not started again', async () => {
    const { run, steps } = scene(scripted('say("Twice.")'));
    const first = await runAcp(run);
    const count = steps.length;
    expect(await runAcp(run)).toEqual(first);
    expect(steps).toHaveLength(count);
  });

  test('the agent receives messages to the job', async () => {
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

  test('the agent adds and removes files', async () => {
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

  test('a name in another Unicode form is written once', async () => {
    const work =
      'fs.writeFileSync("cafe\\u0301.mdx", "New."); call("one"); await tool("validate", {}); fs.rmSync("cafe\\u0301.mdx")';
    const { run, steps } = scene(scripted(work));
    await runAcp(run);
    expect(changesIn(steps)).toEqual([
      { path: 'caf\u00e9.mdx', content: 'New.' },
      { path: 'caf\u00e9.mdx', content: null },
    ]);
  });

  test('agent instructions of the branch are hidden from the agent and preserved', async () => {
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
  ])('an agent that stops with %s ends the run as %s', async (stop, reason) => {
    const { run } = scene(scripted(`return "${stop}"`));
    expect((await runAcp(run)).reason).toBe(reason);
  });
});

describe.skipIf(weakness !== undefined)('a misbehaving agent', () => {
  test('the agent reaches no network, no file of the host and no secret', async () => {
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
    ['a file that is too large', 'fs.writeFileSync("a.mdx", "a".repeat(1_000_001))', /more than/],
    ['a git folder', 'fs.mkdirSync(".git"); fs.writeFileSync(".git/config", "[core]")', /git/],
    ['a file of Git LFS', 'fs.writeFileSync("film.lfs", "a")', /LFS/],
  ])('an agent that leaves %s is blocked', async (_, work, problem) => {
    const { run, steps } = scene(scripted(work));
    expect(await runAcp(run)).toMatchObject({
      reason: 'policy_blocked',
      problem: expect.stringMatching(problem) as string,
    });
    expect(changesIn(steps)).toEqual([]);
  });

  test('after a refused file the journal still matches the tree', async () => {
    const work = 'fs.rmSync("guides", { recursive: true }); fs.writeFileSync("film.lfs", "a")';
    const { run, steps, treeFolder } = scene(scripted(work));
    expect(await runAcp(run)).toMatchObject({ reason: 'policy_blocked' });
    expect(existsSync(join(treeFolder, 'guides'))).toBe(false);
    expect(changesIn(steps)).toEqual([{ path: 'guides/start.mdx', content: null }]);
  });

  test('an agent that exits early is reported with its last line', async () => {
    const { run } = scene(scripted('console.error("No key."); process.exit(3)'));
    expect(await runAcp(run)).toMatchObject({
      reason: 'model_unavailable',
      problem: 'The agent exited with status 3 before its work was done. No key.',
    });
  });

  test('a hanging agent is killed with its child processes, and its work is kept', async () => {
    const mark = `${Date.now()}.5`;
    const work = `fs.writeFileSync("index.mdx", "Half."); require("node:child_process").spawn("sleep", ["${mark}"], { detached: true, stdio: "ignore" }); await new Promise(() => {})`;
    const { run, text } = scene(scripted(work), {
      startedAt: Date.now() - defaultLimits.minutes * 60_000 + 5000,
    });
    expect(await runAcp(run)).toMatchObject({ reason: 'timeout' });
    expect(text('index.mdx')).toBe('Half.');
    await until(() => !isRunning(mark));
  });

  test('an agent that never ends is stopped at the step limit', async () => {
    const work = 'for (let i = 0; i < 50; i++) call("c" + i); await new Promise(() => {})';
    const { run, steps } = scene(scripted(work), { limits: { ...defaultLimits, steps: 3 } });
    expect(await runAcp(run)).toMatchObject({ reason: 'budget' });
    expect(steps.filter(({ kind }) => kind === 'answer')).toHaveLength(3);
  });

  test('an agent that floods its output is killed', async () => {
    const { run } = scene(scripted('for (;;) fs.writeSync(1, "x".repeat(65536))'));
    expect(['budget', 'model_unavailable']).toContain((await runAcp(run)).reason);
  });
});

describe.skipIf(weakness !== undefined)('a canceled run', () => {
  test('the agent is notified, and nothing is kept', async () => {
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

  test('all processes of the agent and its model calls end', async () => {
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

describe.skipIf(weakness !== undefined)('the docs tools of an external agent', () => {
  test('only tools that the agent lacks are offered', async () => {
    const { run } = scene(
      scripted('say((await tool("tools/list")).result.tools.map(({ name }) => name).join())'),
    );
    expect((await runAcp(run)).summary).toBe(
      'outline,find_pages,search,page_info,move_page,validate,render_page',
    );
  });

  test('tools see the files of the agent, and the agent sees their changes', async () => {
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

  test('invalid calls are answered', async () => {
    const work = `fs.symlinkSync("/etc", "link");
      const answers = [await tool("validate", {})];
      fs.rmSync("link");
      answers.push(await tool("edit_file", {}), await tool("validate", { extra: 1 }), await tool("resources/list"));
      say(JSON.stringify(answers.map(({ result, error }) => result?.content[0].text ?? error.message)))`;
    const { run } = scene(scripted(work));
    const { reason, summary } = await runAcp(run);
    expect(reason).toBe('done');
    expect(JSON.parse(summary)).toEqual([
      expect.stringContaining('neither a file nor a folder'),
      expect.stringContaining('There is no tool edit_file'),
      expect.any(String),
      'Method not found',
    ]);
  });
});

describe.skipIf(weakness !== undefined)('an agent that never stops calling', () => {
  const limits = { ...defaultLimits, steps: 2 };

  test('an agent that keeps calling docs tools is stopped', async () => {
    const { run, steps } = scene(
      scripted('for (let i = 0; ; i++) await tool("search", { pattern: "x" + i })'),
      { limits },
    );
    expect(await runAcp(run)).toMatchObject({ reason: 'budget' });
    expect(steps.filter((step) => step.kind === 'result')).toHaveLength(20);
  });

  test('an agent that keeps calling its own tools is stopped, even with a metered model', async () => {
    const { model } = await modelFor([{ text: 'Hello.' }]);
    const work = `await ${askModel}.then((r) => r.text()); for (let i = 0; i < 500; i++) call("c" + i); await new Promise(() => {})`;
    const { run, steps } = scene(scripted(work), { limits, model });
    expect(await runAcp(run)).toMatchObject({ reason: 'budget' });
    expect(steps.filter((step) => step.kind === 'result').length).toBeLessThanOrEqual(20);
  });
});

describe.skipIf(weakness !== undefined)('the model of an external agent', () => {
  test('the key is not visible in the sandbox', async () => {
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

  test('the model is the only reachable endpoint', async () => {
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

  test('a spent budget ends the run and keeps the work', async () => {
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

  test('a rejected key ends the run with that reason', async () => {
    const { model } = await modelFor([{ fault: 'status', status: 401 }]);
    const { run } = scene(scripted(`await ${askModel}; say("All is well.")`), { model });
    expect(await runAcp(run)).toMatchObject({ reason: 'model_auth' });
  });
});

describe.skipIf(weakness !== undefined)('a resumed run', () => {
  test('the run resumes in a new session from the recorded files and notes it', async () => {
    const work = 'fs.appendFileSync("index.mdx", "Once."); call("c1"); say(text)';
    const { run, steps } = scene(scripted(work));
    await runAcp(run);
    // Simulates a worker that was lost before it recorded the end.
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

  test('the run uses the rest of the budget', async () => {
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
  test('the folder of the job cannot be exposed', async () => {
    const scratch = temporaryFolder('sandbox');
    const program = { ...scripted(''), readOnlyPaths: [join(scratch, '..')] };
    await expect(startSandboxed(program, { scratch, site: scratch })).rejects.toThrow('must not read it');
  });
});

describe('a host without a sandbox', () => {
  test('no agent is started, and the run reports why', async () => {
    const path = process.env['PATH'];
    onTestFinished(() => void (process.env['PATH'] = path));
    process.env['PATH'] = temporaryFolder('empty');
    const { run, text } = scene(scripted('fs.writeFileSync("index.mdx", "Out.")'));
    expect(await runAcp(run)).toMatchObject({
      reason: 'internal',
      problem:
        'The agent was not started because the sandbox is not secure: bubblewrap (bwrap) is not installed.',
    });
    expect(text('index.mdx')).toBe(files['index.mdx']);
  });
});

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

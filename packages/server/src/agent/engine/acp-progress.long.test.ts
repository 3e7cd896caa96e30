/** External agents that repeat themselves, stay silent or need a sign-in. */
import { describe, expect, test } from 'vitest';
import { askModel, modelFor, scene, scripted, weakness } from '../../../test/support/acp-scene.ts';
import { runAcp } from './acp.ts';

const read = (path: string, text = '"Same."') =>
  `update({ sessionUpdate: 'tool_call', toolCallId: String(Math.random()), title: 'Read', kind: 'read', rawInput: { path: ${path} }, status: 'completed', content: [{ type: 'content', content: { type: 'text', text: ${text} } }] });`;
/** A turn that ends only when it is canceled. */
const canceled = `if (await new Promise((resolve) => { globalThis.onCancel = () => resolve(true) })) return 'cancelled';`;

describe.skipIf(weakness !== undefined)('an agent that makes no progress', () => {
  test('an agent that repeats a call is warned once and can finish', async () => {
    const work = `if (text.startsWith('You are not making progress')) { fs.writeFileSync('index.mdx', 'New.'); return say(text), 'end_turn'; }
      for (let i = 0; i < 4; i++) { ${read('"a"')} } ${canceled}`;
    const { run, steps, text } = scene(scripted(work));
    const { reason, summary } = await runAcp(run);
    expect(reason).toBe('done');
    expect(summary).toMatch(
      /^You are not making progress: The same call of acp_read has given the same result/,
    );
    expect(text('index.mdx')).toBe('New.');
    expect(steps.filter(({ kind }) => kind === 'message')).toHaveLength(1);
  });

  test('an agent that repeats the call after the warning is stopped, and its work is kept', async () => {
    const work = `fs.writeFileSync('index.mdx', 'Half.'); for (let i = 0; i < 8; i++) { ${read('"a"')} } ${canceled}`;
    const { run, text } = scene(scripted(work));
    expect(await runAcp(run)).toMatchObject({
      reason: 'stalled',
      problem: 'The same call of acp_read has given the same result 4 times.',
    });
    expect(text('index.mdx')).toBe('Half.');
  });

  test('an agent that answers the canceled turn with an error is warned as well', async () => {
    const first = `if (method === 'session/cancel') return send({ id: globalThis.open, error: { code: -32800, message: 'Canceled.' } });
      if (method === 'session/prompt' && globalThis.open === undefined) globalThis.open = id;`;
    const work = `if (text.startsWith('You are not')) return 'end_turn'; for (let i = 0; i < 4; i++) { ${read('"a"')} } await new Promise(() => {})`;
    const { run } = scene(scripted(work, first));
    expect(await runAcp(run)).toMatchObject({ reason: 'done' });
  });

  test('an agent that alternates between two calls is stopped', async () => {
    const work = `for (let i = 0; i < 8; i++) { ${read('i % 2', '"ok"')} } ${canceled}`;
    const { run } = scene(scripted(work));
    expect(await runAcp(run)).toMatchObject({
      reason: 'stalled',
      problem: expect.stringContaining('alternate') as string,
    });
  });

  test('an agent that only asks the model is stopped', async () => {
    const { model } = await modelFor(() => ({ text: 'Hm.' }));
    const work = `${read('"a"')} for (let i = 0; i < 14; i++) await ${askModel}.then((r) => r.text());`;
    const { run } = scene(scripted(work), { model });
    expect(await runAcp(run)).toMatchObject({ reason: 'stalled' });
  });

  test('new calls, edits and checks between edits are progress', async () => {
    const work = `for (let i = 0; i < 20; i++) { ${read('i')} }
      for (let i = 0; i < 6; i++) { fs.writeFileSync('index.mdx', 'v' + i); await tool('validate', {}); }
      say('Done.');`;
    const { run } = scene(scripted(work));
    expect(await runAcp(run)).toMatchObject({ reason: 'done' });
  });
});

describe.skipIf(weakness !== undefined)('a silent agent', () => {
  test.each([
    ['in its turn', scripted('await new Promise(() => {})')],
    ['from the start', scripted('', 'return;')],
  ])('an agent that is silent %s is stopped', async (_, agent) => {
    const { run } = scene(agent, { maxSilenceSeconds: 2 });
    expect(await runAcp(run)).toMatchObject({
      reason: 'stalled',
      problem: 'The agent sent no message for 2 seconds.',
    });
  });
});

const required = `if (method === 'session/new' && !globalThis.signedIn) return send({ id, error: { code: -32000, message: 'Authentication required' } });`;
const offering = (methods: object[]) =>
  `if (method === 'initialize') return send({ id, result: { protocolVersion: 1, authMethods: ${JSON.stringify(methods)} } }); ${required}
   if (method === 'authenticate') { globalThis.signedIn = params.methodId; return send({ id, result: {} }); }`;
const apiKey = { id: 'openai-api-key', name: 'Use OPENAI_API_KEY' };
const browser = { id: 'login', name: 'Sign in with a browser' };

describe.skipIf(weakness !== undefined)('an agent that requires a sign-in', () => {
  test('the API key in its environment is used', async () => {
    const agent = scripted('say(globalThis.signedIn)', offering([browser, apiKey]));
    const environment = { OPENAI_API_KEY: 'any' };
    const { run } = scene({ ...agent, environment });
    expect(await runAcp(run)).toMatchObject({ reason: 'done', summary: 'openai-api-key' });
  });

  test('an agent that offers only a browser ends with a reason', async () => {
    const { run } = scene(scripted('', offering([browser])));
    expect(await runAcp(run)).toMatchObject({
      reason: 'model_auth',
      problem: expect.stringMatching(/offers only "Sign in with a browser"\. .*AGENT_ENV/) as string,
    });
  });

  test('a refused sign-in ends with the reason of the agent', async () => {
    const refusing = `if (method === 'authenticate') return send({ id, error: { code: -32603, message: 'Internal error', data: { details: 'The key has expired.' } } });`;
    const agent = scripted('', `${refusing} ${offering([apiKey])}`);
    const { run } = scene({ ...agent, environment: { OPENAI_API_KEY: 'any' } });
    expect(await runAcp(run)).toMatchObject({
      reason: 'model_auth',
      problem:
        'The agent refused the sign-in with "Use OPENAI_API_KEY": Internal error: The key has expired.',
    });
  });

  test('a sign-in that the first prompt requires is done then', async () => {
    const late = `if (method === 'session/prompt' && !globalThis.signedIn) return send({ id, error: { code: -32000, message: 'Authentication required' } });`;
    const agent = scripted('say("Signed in.")', `${late} ${offering([apiKey]).replace(required, '')}`);
    const { run } = scene({ ...agent, environment: { OPENAI_API_KEY: 'any' } });
    expect(await runAcp(run)).toMatchObject({ reason: 'done', summary: 'Signed in.' });
  });
});

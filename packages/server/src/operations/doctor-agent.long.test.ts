import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { askModel, scripted, weakness } from '../../test/support/acp-scene.ts';
import { temporaryFolder } from '../../test/support/test-context.ts';
import { readConfig, type Environment } from '../config.ts';
import { examineAgent } from './doctor-agent.ts';

const initialized = `if (method === 'initialize') return send({ id, result: { protocolVersion: 1, agentInfo: { name: 'writer', version: '1.2' }, agentCapabilities: { loadSession: true, promptCapabilities: { image: true, audio: false } }, authMethods: globalThis.methods ?? [] } });`;

function reportOn(work: string, first = initialized, environment: Environment = {}) {
  const program = join(temporaryFolder('agent'), 'agent.cjs');
  writeFileSync(program, scripted(work, first).args[1] ?? '');
  const command = `${process.execPath} ${program}`;
  const dataDir = join(temporaryFolder('doctor'), 'data');
  return examineAgent(readConfig({ AGENT_COMMAND: command, DATA_DIR: dataDir, ...environment }));
}

const outcomesOf = ({ checks }: Awaited<ReturnType<typeof reportOn>>) =>
  Object.fromEntries(checks.map(({ check, outcome }) => [check, outcome]));

describe.skipIf(weakness !== undefined)('the check of an external agent', () => {
  test('shows the agent, its variables and that it called the model', async () => {
    const report = await reportOn(`await ${askModel}.then((r) => r.text())`, initialized, {
      AGENT_ENV: 'MODE=plan,ADDRESS={modelUrl}',
    });
    expect(outcomesOf(report)).toEqual({
      command: 'ok',
      sandbox: 'ok',
      variables: 'ok',
      start: 'ok',
      session: 'ok',
      prompt: 'ok',
      model: 'ok',
    });
    expect(report.agent).toEqual({
      name: 'writer',
      version: '1.2',
      capabilities: ['loadSession', 'promptCapabilities.image'],
      signIn: [],
    });
    expect(report.variables).toEqual(
      expect.arrayContaining(['ADDRESS', 'HOME', 'MODE', 'OPENAI_BASE_URL', 'PATH']),
    );
    expect(report.modelCalls).toBe(1);
  });

  test('an Anthropic model answers in its format', async () => {
    const work = `const body = JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Hi.' }] });
      const answer = await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', { method: 'POST', body }).then((r) => r.json());
      if (answer.content[0].text !== 'There is nothing to change.') throw new Error('No answer.');`;
    const report = await reportOn(work, initialized, {
      MODEL_PROVIDER: 'anthropic',
      MODEL_URL: 'https://models.example.com',
      MODEL_NAME: 'm',
    });
    expect(outcomesOf(report)).toMatchObject({ prompt: 'ok', model: 'ok' });
  });

  test('an agent that does not call the model is noted', async () => {
    const { checks } = await reportOn('say("Nothing.")');
    expect(checks.at(-1)).toMatchObject({ check: 'model', outcome: 'note' });
  });

  test.each([
    ['start', 'console.error("Error: unknown option --acp"); process.exit(2);', 'unknown option --acp'],
    [
      'session',
      `${initialized} if (method === 'session/new') return send({ id, error: { code: -32603, message: 'Internal error', data: { details: 'No config.' } } });`,
      'Internal error: No config.',
    ],
    [
      'sign-in',
      `globalThis.methods = [{ id: 'login', name: 'Browser' }]; ${initialized} if (method === 'session/new') return send({ id, error: { code: -32000, message: 'Sign in.' } });`,
      'offers only "Browser"',
    ],
    [
      'prompt',
      `${initialized} if (method === 'session/prompt') return send({ id, error: { code: -32603, message: 'No model.' } });`,
      'No model.',
    ],
  ])('a failure at the stage %s names the reason and a remedy', async (stage, first, message) => {
    const { checks } = await reportOn('', first);
    const failed = checks.filter(({ outcome }) => outcome === 'failed');
    expect(failed).toEqual([
      {
        check: stage,
        outcome: 'failed',
        message: expect.stringContaining(message) as string,
        remedy: expect.stringMatching(/^[A-Z].*\.$/) as string,
      },
    ]);
  });
});

test('a missing setting or program is reported', async () => {
  const failure = async (environment: Environment) => (await examineAgent(readConfig(environment))).checks;
  expect(await failure({})).toMatchObject([{ outcome: 'failed', message: 'AGENT_COMMAND is not set.' }]);
  expect(await failure({ AGENT_COMMAND: '/no/such/agent' })).toMatchObject([
    { outcome: 'failed', message: expect.stringContaining('does not exist') as string },
  ]);
});

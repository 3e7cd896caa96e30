import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { RequestError } from '@agentclientprotocol/sdk';
import { describe, expect, test } from 'vitest';
import { explainAnswer, watchForFailure } from './agent-failure.ts';
import type { SandboxedProcess } from './sandbox.ts';

function processThat() {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  return Object.assign(new EventEmitter(), streams) as EventEmitter & typeof streams & SandboxedProcess;
}

async function explained(stderr: string, cause: unknown = new Error('closed')): Promise<string> {
  const child = processThat();
  const failure = watchForFailure(child);
  child.stderr.end(stderr);
  await new Promise((resolve) => child.stderr.once('end', resolve));
  child.emit('close', 1);
  return (await failure.explain(cause)).message;
}

const exited = 'The agent exited with status 1 before its work was done.';

describe('the reason of an agent that exits', () => {
  test('is the error, not the quoted code and the stack', async () => {
    const stderr = `/opt/agent/main.js:10
    throw new Error('No key');
    ^

Error: No key in OPENAI_API_KEY
    at run (/opt/agent/main.js:10:11)
    at node:internal/main/run_main_module:36:49

Node.js v24.1.0
`;
    expect(await explained(stderr)).toBe(`${exited} Error: No key in OPENAI_API_KEY`);
  });

  test('is not hidden by progress bars and colors', async () => {
    const bar = '\rDownloading 45% [=====>     ]'.repeat(500);
    const stderr = `Starting\n\u001b[31mFailed to load the model\u001b[0m\n${bar}\n${'▏'.repeat(3000)}\n`;
    expect(await explained(stderr)).toBe(`${exited} Failed to load the model`);
  });

  test('is a few lines if none names a problem', async () => {
    expect(await explained('one line\ntwo line\nthree line\nfour line')).toBe(
      `${exited} one line two line four line`,
    );
  });

  test('leaves out lines that resemble a credential', async () => {
    const key = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const message = await explained(`Error: the token ${key} is invalid\n`);
    expect(message).not.toContain(key);
    expect(message).toContain('resembles a credential');
  });

  test('is empty if the agent wrote nothing', async () => {
    expect(await explained('')).toBe(exited);
  });
});

describe('the answer of an agent', () => {
  test.each([
    [{ message: 'Internal error', data: { details: 'No such model' } }, 'Internal error: No such model'],
    [{ message: 'Internal error', data: { message: 'Bad key' } }, 'Internal error: Bad key'],
    [{ message: 'Internal error', data: 'Bad key' }, 'Internal error: Bad key'],
    [{ message: 'Bad key', data: { message: 'Bad key', code: 1 } }, 'Bad key'],
    [{ message: 'Bad key', data: null }, 'Bad key'],
  ])('%j is explained with its data', (answer, text) => {
    expect(explainAnswer(answer)).toBe(text);
  });

  test('is followed by standard error if it has no data', async () => {
    const cause = new RequestError(-32_603, 'Internal error');
    expect(await explained('Error: connect ECONNREFUSED\n', cause)).toBe(
      'The agent answered: Internal error Error: connect ECONNREFUSED',
    );
  });
});

import { describe, expect, test } from 'vitest';
import { chooseAuthMethod, refusedSignIn } from './acp-authentication.ts';

const gemini = [
  { id: 'oauth-personal', name: 'Log in with Google' },
  { id: 'gemini-api-key', name: 'Use Gemini API key' },
  { id: 'vertex-ai', name: 'Vertex AI' },
];
const codex = [
  { id: 'chatgpt', name: 'Login with ChatGPT' },
  { id: 'codex-api-key', name: 'Use CODEX_API_KEY' },
  { id: 'openai-api-key', name: 'Use OPENAI_API_KEY' },
];

describe('the way to sign in', () => {
  test.each([
    [gemini, ['OPENAI_API_KEY', 'GEMINI_API_KEY'], 'gemini-api-key'],
    [codex, ['OPENAI_BASE_URL', 'OPENAI_API_KEY'], 'openai-api-key'],
    [codex, ['CODEX_API_KEY', 'OPENAI_API_KEY'], 'codex-api-key'],
    [[{ id: 'x', name: 'X', description: 'Set the `OPENAI_API_KEY` variable' }], ['OPENAI_API_KEY'], 'x'],
  ])('is the method that names a variable of the agent', (methods, variables, id) => {
    expect(chooseAuthMethod(methods, variables)?.id).toBe(id);
  });

  test('is a method that lists its variable', () => {
    const methods = [{ id: 'a', name: 'Any', type: 'env_var', vars: [{ name: 'WRITER_TOKEN' }] }];
    expect(chooseAuthMethod(methods, ['WRITER_TOKEN'])?.id).toBe('a');
  });

  test('is any method with an API key if none names the variable', () => {
    expect(chooseAuthMethod(gemini, ['OPENAI_API_KEY'])?.id).toBe('gemini-api-key');
  });

  test('is not a browser, a terminal or a key that is not set', () => {
    expect(chooseAuthMethod(gemini.slice(0, 1), ['GEMINI_API_KEY'])).toBeUndefined();
    expect(chooseAuthMethod(gemini, ['PATH'])).toBeUndefined();
    const terminal = { id: 't', name: 'Enter an API key', type: 'terminal' as const };
    expect(chooseAuthMethod([terminal], ['API_KEY'])).toBeUndefined();
  });
});

test('without a way to sign in, the error names what the agent offers', () => {
  expect(refusedSignIn(gemini.slice(0, 1))).toMatch(/offers only "Log in with Google"\. .*AGENT_ENV/);
  expect(refusedSignIn([])).toContain('offers no way to do so');
});

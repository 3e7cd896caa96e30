/** Chooses how to sign in to an agent: with an API key in its environment, because the sandbox has no browser. */
import type { AuthMethod } from '@agentclientprotocol/sdk';

/** `variables` are the names in the environment of the agent. */
export function chooseAuthMethod(
  methods: readonly AuthMethod[],
  variables: readonly string[],
): AuthMethod | undefined {
  const keys = variables.filter((name) => /KEY|TOKEN/.test(name));
  const usable = methods.filter((method) => !('type' in method && method.type === 'terminal'));
  const named = usable.find((method) => {
    const words = wordsOf(method);
    return keys.some((name) => words.has(name));
  });
  return named ?? (keys.length === 0 ? undefined : usable.find(isApiKey));
}

/** The id `gemini-api-key` names the variable `GEMINI_API_KEY`. */
function wordsOf(method: AuthMethod): Set<string> {
  return new Set(textOf(method).toUpperCase().replaceAll('-', '_').match(/\w+/g));
}

function isApiKey(method: AuthMethod): boolean {
  return /api[-_ ]?key/i.test(textOf(method));
}

/** Drafts of the protocol list the variables of a method in fields of their own. */
function textOf(method: AuthMethod): string {
  return JSON.stringify(method);
}

export function refusedSignIn(methods: readonly AuthMethod[]): string {
  const names = methods.map(({ name }) => `"${name.slice(0, 60)}"`).slice(0, 8);
  const offered = names.length === 0 ? 'offers no way to do so' : `offers only ${names.join(', ')}`;
  return `The agent requires a sign-in and ${offered}. Set the variable of its API key in AGENT_ENV; its value can be any text, because Docyard adds the key of the model.`;
}

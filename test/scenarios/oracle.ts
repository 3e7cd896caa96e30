/**
 * A perfect model for the tasks of the suite, behind a real wire format. It is stateless: the instruction identifies the task,
 * and the conversation the next call.
 */
import { startModelServer, type ModelServer, type ScriptedCall } from '../fakes/model-server.ts';
import type { Scenario } from './scenario.ts';

export function startOracle(scenarios: readonly Scenario[]): Promise<ModelServer> {
  return startModelServer(({ messages }) => {
    const said = messages.flatMap((message) => (message.role === 'user' ? message.text : []));
    const task = scenarios.find(({ instruction }) => said.some((text) => text.includes(instruction)));
    if (task === undefined) return { text: 'This is none of the tasks.' };
    const call = callsOf(task)[messages.filter(({ role }) => role === 'tool').length];
    // Without usage, the gateway counts the tokens.
    return call === undefined ? { text: 'There is nothing left to do.' } : { calls: [call], usage: null };
  });
}

function callsOf({ calls, name }: Scenario): ScriptedCall[] {
  const finish = { name: 'finish', input: { title: name.slice(0, 100), summary: `Done: ${name}.` } };
  return [...calls, { name: 'validate', input: {} }, finish];
}

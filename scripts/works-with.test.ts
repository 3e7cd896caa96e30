import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { realAgents } from '../test/agent/real-agents/agents.ts';
import { publishedPage } from './works-with.ts';

const { file, content } = publishedPage();

test('the manual shows the stored results of agents and model servers', () => {
  expect(readFileSync(file, 'utf8')).toBe(content);
});

describe.each(realAgents)('the recipe of $name', (agent) => {
  test('installs the tested version', () => {
    expect(content).toContain(` ${agent.package}@${agent.version}`);
  });

  test('has the tested settings', () => {
    expect(content).toContain(`AGENT_ENV='${agent.environment}'`);
    const [program = '', ...args] = agent.command.replace(process.arch, 'x64').split(' ');
    expect(content).toContain([`/opt/agents/${program}`, ...args].join(' '));
  });
});

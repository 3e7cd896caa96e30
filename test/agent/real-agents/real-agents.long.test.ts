import { expect, test } from 'vitest';
import { whySandboxFails } from '../../../packages/server/src/agent/engine/sandbox.ts';
import { temporaryFolder } from '../../service.ts';
import { realAgents } from './agents.ts';
import { install } from './install.ts';
import { runAgent } from './run-agent.ts';

const weakness = await whySandboxFails(temporaryFolder('sandbox'));
if (weakness !== undefined) console.warn(`Published agents are not tested: ${weakness}`);

test.skipIf(weakness !== undefined).each(realAgents)(
  '$name edits a page, follows up and ends with one pull request',
  { timeout: 900_000 },
  async (agent) => {
    const folder = await install(agent).catch((error: unknown) => {
      console.warn(`${agent.name} is not tested, because it cannot be installed: ${String(error)}`);
      return undefined;
    });
    if (folder === undefined) return;
    expect(await runAgent(agent, folder)).toMatchObject({
      handshake: true,
      edit: true,
      tools: true,
      followUp: true,
      pullRequest: true,
      problems: [],
    });
  },
);

import type { RealAgent } from './agents.ts';
import { install } from './install.ts';
import { failedResult, runAgent, type AgentResult } from './run-agent.ts';

/** An agent that cannot be installed is a result without a pass, not an error. */
export async function checkAgent(agent: RealAgent): Promise<AgentResult> {
  try {
    return await runAgent(agent, await install(agent));
  } catch (error) {
    return failedResult(agent, error instanceof Error ? error.message : String(error));
  }
}

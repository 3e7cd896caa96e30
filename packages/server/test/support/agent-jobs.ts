/** Creates agent jobs with their first run directly in the tables. */
import { createJob } from '../../src/jobs/create-jobs.ts';
import type { Job } from '../../src/jobs/store.ts';
import type { Tenant, TestContext } from './test-context.ts';
import { defaultLimits } from '../../src/agent/contract.ts';
import { addRun, type AgentInput } from '../../src/agent/record.ts';

export async function createAgentJob(
  context: TestContext,
  tenant: Tenant,
  projectId: string,
  change: Partial<AgentInput> = {},
): Promise<Job> {
  const input: AgentInput = {
    prompt: 'Fix the typos.',
    model: 'small',
    source: {
      repository: 'https://git.example.com/docs.git',
      ref: 'main',
      directory: null,
      allowLocal: false,
    },
    draft: null,
    scopePaths: [],
    limits: defaultLimits,
    dryRun: false,
    metadata: {},
    ...change,
  };
  const job = await createJob(context, {
    kind: 'agent',
    organizationId: tenant.organizationId,
    projectId,
    domain: 'docs.example.com',
    input,
    retryOf: null,
  });
  await addRun(context, { jobId: job.id, kind: 'create', prompt: input.prompt });
  return job;
}

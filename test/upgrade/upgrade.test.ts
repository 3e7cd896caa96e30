/** A data folder of an earlier version opens: the old key works, and all records exist. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DocyardClient } from '@docyard/api';
import { describe, expect, it } from 'vitest';
import { startService, temporaryFolder } from '../service.ts';
import { keepEverything, unpackEarlierData } from './fixture.ts';

describe.each(['0.1.0'] as const)('a folder of version %s', (version) => {
  const dataDir = join(temporaryFolder('upgrade'), 'data');
  const earlier = unpackEarlierData(version, dataDir);

  it('opens, with its keys, jobs and bundles', async () => {
    // The first start of this folder was before this file existed.
    writeFileSync(join(dataDir, 'admin-key'), earlier.key);
    const service = await startService({ dataDir, environment: keepEverything });
    const client = new DocyardClient({ baseUrl: service.origin, apiKey: earlier.key });

    expect((await client.call('readMe')).key?.scopes).toEqual(['read', 'write']);
    const job = await client.call('readExport', { params: { jobId: earlier.exportJobId } });
    expect(job).toMatchObject({ status: 'completed', projectId: earlier.projectId });
    const { bundleUrl } = await client.call('createBundle', { params: { jobId: job.jobId } });
    const bytes = new Uint8Array(await (await fetch(bundleUrl)).arrayBuffer());
    expect(createHash('sha256').update(bytes).digest('hex')).toBe(job.bundle?.sha256);

    const { agentJobId: id, projectId } = earlier;
    const agentJob = await client.call('readAgentJob', { params: { projectId, id } });
    expect(agentJob).toMatchObject({ id, status: 'completed' });
    expect((await service.request('/readyz')).status).toBe(200);
    expect(await service.stop()).toBe(0);
  });
});

/** Check runs on GitHub for Apps, commit statuses for tokens. */
import { z } from 'zod';
import type { CommitStatus, ForgeReview, StatusAnnotation } from '../../ports/forge-review.ts';
import type { Api } from './api.ts';
import { readLinkedPage, readPages } from './paging.ts';
import { encodedPath } from './repository.ts';
import { annotationsHash, boundedAnnotations, noteOf, oneLine } from './status-parts.ts';

interface StatusAccess {
  api: Api;
  /** With the permission for checks; null for a token, which cannot create check runs. */
  checksApi: Api | null;
  path: string;
}

const maxAnnotationsInRequest = 50;
const maxDescriptionCharacters = 140;

export function githubStatus({ api, checksApi, path }: StatusAccess): Pick<ForgeReview, 'putStatus'> {
  return {
    putStatus: async (commit, status, signal) => {
      const target = { path, commit, signal };
      if (checksApi === null) {
        const note = await noteOf('the commit status', () => putCommitStatus(api, target, status));
        return { annotations: 0, notes: note === undefined ? [] : [note] };
      }
      const note = await noteOf('the check run', () => putCheckRun(checksApi, target, status));
      if (note === undefined) return { annotations: boundedAnnotations(status).length, notes: [] };
      return { annotations: 0, notes: [note] };
    },
  };
}

interface Target {
  path: string;
  commit: string;
  signal: AbortSignal;
}

const Status = z.object({
  context: z.string(),
  state: z.string(),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
});

/** GitHub keeps all statuses and accepts 1000 per commit and context, so an equal one is not repeated. */
async function putCommitStatus(
  api: Api,
  { path, commit, signal }: Target,
  status: CommitStatus,
): Promise<void> {
  const state = status.state === 'neutral' ? 'success' : status.state;
  const description = oneLine(status.description, maxDescriptionCharacters);
  const wanted = { state, context: status.key, description, ...targetUrl('target_url', status) };
  const call = {
    path: `${path}/commits${encodedPath(commit)}/statuses`,
    query: { per_page: '100' },
    answer: z.array(Status),
    signal,
  };
  for await (const known of readPages((page) => readLinkedPage(api, call, page))) {
    // The newest is first.
    if (known.context !== status.key) continue;
    const isSame = known.state === state && (known.description ?? '') === description;
    if (isSame && (known.target_url ?? null) === status.targetUrl) return;
    break;
  }
  const body = wanted;
  await api.post({
    path: `${path}/statuses${encodedPath(commit)}`,
    body,
    answer: Status,
    isRepeatable: true,
    signal,
  });
}

const CheckRun = z.object({
  id: z.int(),
  external_id: z.string().nullish(),
  output: z.object({ annotations_count: z.int() }),
});
type CheckRun = z.infer<typeof CheckRun>;

/**
 * Every update appends its annotations. The external id names them, so that a repeated call sends only missing ones
 * and other annotations get a new check run, which replaces the older one on the page.
 */
async function putCheckRun(api: Api, target: Target, status: CommitStatus): Promise<void> {
  const annotations = boundedAnnotations(status);
  const externalId = `${status.key}:${annotationsHash(annotations)}`;
  const known = await findCheckRun(api, target, status.key);
  const isReusable =
    known !== undefined && (known.external_id === externalId || known.output.annotations_count === 0);
  const update = (id: number, batch: readonly StatusAnnotation[]) =>
    api.patch({
      path: `${target.path}/check-runs/${id}`,
      body: { ...fieldsOf(status, batch), external_id: externalId },
      answer: CheckRun,
      signal: target.signal,
    });
  // GitHub may have fewer than were sent, never more.
  let sent = isReusable ? known.output.annotations_count : 0;
  const firstBatch = annotations.slice(sent, sent + maxAnnotationsInRequest);
  const { id } = isReusable
    ? await update(known.id, firstBatch)
    : await createCheckRun(api, target, { ...fieldsOf(status, firstBatch), external_id: externalId });
  sent += firstBatch.length;
  for (; sent < annotations.length; sent += maxAnnotationsInRequest) {
    await update(id, annotations.slice(sent, sent + maxAnnotationsInRequest));
  }
}

async function findCheckRun(
  api: Api,
  { path, commit, signal }: Target,
  key: string,
): Promise<CheckRun | undefined> {
  const { check_runs: runs } = await api.get({
    path: `${path}/commits${encodedPath(commit)}/check-runs`,
    query: { check_name: key, filter: 'latest', per_page: '100' },
    answer: z.object({ check_runs: z.array(CheckRun) }),
    signal,
  });
  // Another App may use the name.
  return runs.find(({ external_id: id }) => id?.startsWith(`${key}:`));
}

function createCheckRun(api: Api, { path, commit, signal }: Target, fields: object): Promise<CheckRun> {
  return api.post({
    path: `${path}/check-runs`,
    body: { ...fields, head_sha: commit },
    answer: CheckRun,
    signal,
  });
}

const maxTitleCharacters = 255;
const maxSummaryCharacters = 65_535;

function fieldsOf(status: CommitStatus, batch: readonly StatusAnnotation[]): object {
  const { state } = status;
  return {
    name: status.key,
    ...(state === 'pending' ? { status: 'in_progress' } : { status: 'completed', conclusion: state }),
    ...targetUrl('details_url', status),
    output: {
      title: oneLine(status.title, maxTitleCharacters),
      summary: status.description.slice(0, maxSummaryCharacters),
      annotations: batch.map(({ path, startLine, level, message }) => ({
        path,
        start_line: startLine,
        end_line: startLine,
        annotation_level: level,
        message,
      })),
    },
  };
}

function targetUrl(field: string, { targetUrl: url }: CommitStatus): Record<string, string> {
  return url === null ? {} : { [field]: url };
}

/** Build statuses and Code Insights reports on Bitbucket Cloud. */
import { z } from 'zod';
import type { CommitStatus, ForgeReview, StatusAnnotation } from '../../ports/forge-review.ts';
import type { Api } from './api.ts';
import { undefinedIfNotFound } from './failures.ts';
import { encodedPath } from './repository.ts';
import { boundedAnnotations, noteOf, oneLine, shortKey } from './status-parts.ts';

const maxKeyCharacters = 40;
const maxTextCharacters = 255;
const maxSummaryCharacters = 450;
const maxAnnotationsInRequest = 100;
const states = {
  pending: 'INPROGRESS',
  success: 'SUCCESSFUL',
  failure: 'FAILED',
  neutral: 'SUCCESSFUL',
} as const;
const severities = { notice: 'LOW', warning: 'MEDIUM', failure: 'HIGH' } as const;

interface StatusAccess {
  api: Api;
  /** Of the repository in the API. */
  repository: string;
  /** The page of the repository; every status needs an address. */
  page: string;
}

export function bitbucketStatus({ api, repository, page }: StatusAccess): Pick<ForgeReview, 'putStatus'> {
  return {
    putStatus: async (commit, status, signal) => {
      const path = `${repository}/commit${encodedPath(commit)}`;
      const key = shortKey(status.key, maxKeyCharacters);
      const build = await noteOf('the build status', () =>
        api.post({
          path: `${path}/statuses/build`,
          body: {
            key,
            state: states[status.state],
            name: oneLine(status.title, maxTextCharacters),
            description: oneLine(status.description, maxTextCharacters),
            url: status.targetUrl ?? page,
          },
          answer: z.unknown(),
          // A status with the same key is replaced.
          isRepeatable: true,
          signal,
        }),
      );
      const annotations = boundedAnnotations(status);
      const report = await noteOf('the report', () =>
        putReport(api, { path: `${path}/reports${encodedPath(key)}`, status, annotations, signal }),
      );
      const notes = [build, report].filter((note) => note !== undefined);
      return { annotations: report === undefined ? annotations.length : 0, notes };
    },
  };
}

interface Report {
  path: string;
  status: CommitStatus;
  annotations: readonly StatusAnnotation[];
  signal: AbortSignal;
}

/** The report is deleted first, because it keeps its annotations when it is replaced. */
async function putReport(api: Api, { path, status, annotations, signal }: Report): Promise<void> {
  const answer = z.unknown();
  await api.delete({ path, answer, signal }).catch(undefinedIfNotFound);
  if (annotations.length === 0) return;
  const body = {
    title: oneLine(status.title, maxTextCharacters),
    details: oneLine(status.description, maxTextCharacters),
    report_type: 'TEST',
    reporter: 'Docyard',
    result: status.state === 'pending' ? 'PENDING' : status.state === 'failure' ? 'FAILED' : 'PASSED',
    ...(status.targetUrl === null ? {} : { link: status.targetUrl }),
  };
  await api.put({ path, body, answer, signal });
  for (let start = 0; start < annotations.length; start += maxAnnotationsInRequest) {
    const batch = annotations.slice(start, start + maxAnnotationsInRequest).map((one, index) => ({
      external_id: String(start + index + 1),
      annotation_type: 'CODE_SMELL',
      path: one.path,
      line: one.startLine,
      summary: oneLine(one.message, maxSummaryCharacters),
      severity: severities[one.level],
    }));
    // Annotations with the same id are replaced.
    await api.post({ path: `${path}/annotations`, body: batch, answer, isRepeatable: true, signal });
  }
}

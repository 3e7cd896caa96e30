/** Build statuses and Code Insights reports on Bitbucket Data Center. */
import { z } from 'zod';
import type { CommitStatus, ForgeReview, StatusAnnotation } from '../../ports/forge-review.ts';
import type { Api } from './api.ts';
import { undefinedIfNotFound } from './failures.ts';
import { encodedPath } from './repository.ts';
import { boundedAnnotations, noteOf, oneLine, shortKey } from './status-parts.ts';

const maxKeyCharacters = 255;
const maxReportKeyCharacters = 50;
const maxTextCharacters = 255;
const maxTitleCharacters = 450;
const maxMessageCharacters = 2000;
const states = {
  pending: 'INPROGRESS',
  success: 'SUCCESSFUL',
  failure: 'FAILED',
  neutral: 'SUCCESSFUL',
} as const;
const severities = { notice: 'LOW', warning: 'MEDIUM', failure: 'HIGH' } as const;

interface StatusAccess {
  api: Api;
  /** The API of reports, `/rest/insights/1.0`. */
  insights: Api;
  /** Of the repository, in both. */
  repository: string;
  /** The page of the repository; every status needs an address. */
  page: string;
}

export function dataCenterStatus({
  api,
  insights,
  repository,
  page,
}: StatusAccess): Pick<ForgeReview, 'putStatus'> {
  return {
    putStatus: async (commit, status, signal) => {
      const path = `${repository}/commits${encodedPath(commit)}`;
      const build = await noteOf('the build status', () =>
        api.post({
          path: `${path}/builds`,
          body: {
            key: shortKey(status.key, maxKeyCharacters),
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
      // Slashes in keys are not supported.
      const key = shortKey(status.key.replaceAll('/', '.'), maxReportKeyCharacters);
      const report = await noteOf('the report', () =>
        putReport(insights, { path: `${path}/reports${encodedPath(key)}`, status, annotations, signal }),
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

/** Deleting a report deletes its annotations. */
async function putReport(api: Api, { path, status, annotations, signal }: Report): Promise<void> {
  const answer = z.unknown();
  await api.delete({ path, answer, signal }).catch(undefinedIfNotFound);
  if (annotations.length === 0) return;
  const body = {
    title: oneLine(status.title, maxTitleCharacters),
    details: oneLine(status.description, maxMessageCharacters),
    reporter: 'Docyard',
    result: status.state === 'failure' ? 'FAIL' : 'PASS',
    ...(status.targetUrl === null ? {} : { link: status.targetUrl }),
  };
  await api.put({ path, body, answer, signal });
  await api.post({
    path: `${path}/annotations`,
    body: {
      annotations: annotations.map((one, index) => ({
        externalId: String(index + 1),
        path: one.path,
        line: one.startLine,
        message: oneLine(one.message, maxMessageCharacters),
        severity: severities[one.level],
        type: 'CODE_SMELL',
      })),
    },
    answer,
    signal,
  });
}

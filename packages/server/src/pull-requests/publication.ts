/** What the forge shows about a pull request: a comment and the status of its head commit. */
import type { Diagnostic, ProjectPullRequests } from '@docyard/api';
import type { Config } from '../config.ts';
import type {
  ChangedPaths,
  CommitStatus,
  MarkedComment,
  PrFacts,
  StatusAnnotation,
} from '../ports/forge-review.ts';
import { previewAddress } from './addresses.ts';
import { previewComment, type CommentFacts } from './comment.ts';
import type { Decision } from './decide.ts';
import type { PreviewOutcome, PreviewReport } from './outcome.ts';
import type { PullRequestRecord } from './records.ts';

export interface Publication {
  /** Null if the comment stays as it is. */
  comment: MarkedComment | null;
  status: CommitStatus | null;
}

export interface PublicationInput {
  config: Pick<Config, 'publicUrl' | 'previewUrl'>;
  project: { id: string; domain: string; directory: string | null };
  settings: ProjectPullRequests;
  facts: PrFacts | undefined;
  changed: ChangedPaths | null;
  pull: PullRequestRecord;
  decision: Decision;
  outcome: PreviewOutcome | null;
}

const maxAnnotations = 50;

/** Several projects may have their docs in one repository, so names contain the project. */
export function publicationOf(input: PublicationInput): Publication {
  const { settings, project } = input;
  const body = commentOf(input);
  const status = settings.status ? statusOf(input) : null;
  const comment = body === null ? null : { marker: `docyard/preview/${project.id}`, body };
  return { comment, status };
}

function commentOf(input: PublicationInput): string | null {
  const { config, settings, pull, decision, outcome, facts } = input;
  const hasOld = pull.has_comment === 1;
  if (!settings.comment && !hasOld) return null;
  const hasSite = pull.shown_job_id !== null && (config.previewUrl ?? config.publicUrl) !== null;
  const given: Omit<CommentFacts, 'about'> = {
    pullId: pull.id,
    headCommit: facts?.headCommit ?? pull.head_commit,
    previewUrl: hasSite ? previewAddress(config, pull.token) : null,
    beforeUrl: hasSite && pull.base_job_id !== null ? previewAddress(config, pull.token, 'before') : null,
    shownCommit: pull.shown_commit,
  };
  switch (decision.kind) {
    case 'remove':
      return hasOld ? previewComment({ ...given, about: { kind: 'removed' } }) : null;
    case 'skip':
      return hasOld ? previewComment({ ...given, about: decision }) : null;
    case 'approval':
      return previewComment({ ...given, about: decision });
    case 'build':
      // The comment about an earlier commit stays until the new preview is ready.
      if (outcome === null || outcome.kind === 'running') return null;
      return previewComment({ ...given, about: outcome });
  }
}

function statusOf(input: PublicationInput): CommitStatus | null {
  const { config, project, pull, decision, outcome } = input;
  const hasSite = pull.shown_job_id !== null && (config.previewUrl ?? config.publicUrl) !== null;
  const make = (
    state: CommitStatus['state'],
    description: string,
    annotations: readonly StatusAnnotation[] = [],
  ): CommitStatus => ({
    key: `docyard/${project.domain}`,
    state,
    title: description,
    description,
    targetUrl: hasSite ? previewAddress(config, pull.token) : null,
    annotations,
  });
  switch (decision.kind) {
    case 'remove':
      return null;
    case 'skip':
      return make('neutral', decision.reason);
    case 'approval':
      return make('pending', 'A maintainer has to approve this commit of a fork.');
    case 'build':
      break;
  }
  if (outcome === null || outcome.kind === 'running') return make('pending', 'The preview is being built.');
  if (outcome.kind === 'failed') {
    const { file, line, code, message, hint } = outcome.failure;
    const finding = { severity: 'error' as const, code, message, file: file ?? '', line, hint: hint ?? '' };
    return make('failure', `The docs cannot be built: ${message}`, annotationsOf(input, [finding]));
  }
  const { report } = outcome;
  const isFailing = failing(report, input.settings.failOn).length > 0;
  const annotations = annotationsOf(input, report.newFindings);
  return make(isFailing ? 'failure' : 'success', summaryOf(report), annotations);
}

function failing({ newFindings }: PreviewReport, failOn: readonly string[]): readonly Diagnostic[] {
  return newFindings.filter(({ severity, code }) => failOn.includes(severity) || failOn.includes(code));
}

function summaryOf({ pages, pageCount, newFindings }: PreviewReport): string {
  const { added = [], changed = [], removed = [], moved = [] } = pages ?? {};
  const counts = [
    [changed.length, 'changed'],
    [added.length, 'added'],
    [removed.length, 'removed'],
    [moved.length, 'moved'],
  ] as const;
  const named = counts.filter(([count]) => count > 0).map(([count, verb]) => `${count} ${verb}`);
  const ofPages =
    pages === null
      ? `${pageCount} pages.`
      : named.length === 0
        ? 'No page changed.'
        : `Pages: ${named.join(', ')}.`;
  return `${ofPages} New findings: ${newFindings.length}.`;
}

type Annotated = Pick<Diagnostic, 'severity' | 'code' | 'message' | 'file' | 'hint'> & {
  line?: number | null | undefined;
};

const levels = { error: 'failure', warning: 'warning', info: 'notice' } as const;

/** Only in files of the pull request: forges show no other lines. */
function annotationsOf(
  { project: { directory }, changed }: PublicationInput,
  findings: readonly Annotated[],
): StatusAnnotation[] {
  const paths = new Set(changed?.paths);
  const placed = findings.flatMap(({ severity, code, message, file, line, hint }) => {
    const path = directory === null ? file : `${directory}/${file}`;
    if (file === '' || (changed !== null && changed.isComplete && !paths.has(path))) return [];
    const text = [message, hint ?? ''].filter((part) => part !== '').join(' ');
    return [{ path, startLine: line ?? 1, level: levels[severity], message: `${text} [${code}]` }];
  });
  return placed.slice(0, maxAnnotations);
}

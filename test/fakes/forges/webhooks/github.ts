/** Built from the examples that GitHub publishes. */
import octokitExamples from '@octokit/webhooks-examples' with { type: 'json' };
import { idOf } from '../conversation.ts';
import { homeOf, sshOf } from '../push-webhooks.ts';
import { isClosing, stateIn, type Change, type Comment, type Json, type Named } from './pull-request.ts';

/** A copy of the first published example of this event and action. */
function example(name: string, action: string): Json {
  const all = octokitExamples as unknown as { name: string; examples: Json[] }[];
  const examples = all.find((each) => each.name === name)?.examples ?? [];
  const found = examples.find((each) => each.action === action);
  if (found === undefined) throw new Error(`GitHub publishes no example of ${name} ${action}.`);
  return structuredClone(found);
}

function githubRepository(base: Json, address: string): Json {
  const url = URL.parse(address);
  const path = homeOf(url?.pathname ?? '/acme/docs').slice(1);
  return {
    ...base,
    full_name: path,
    name: path.split('/').at(-1),
    clone_url: address,
    ssh_url: sshOf(address),
    html_url: homeOf(address),
    default_branch: 'main',
  };
}

function githubPullRequest(base: Json, pull: Change | Comment): Json {
  const [head, target] = [base.head as Json, base.base as Json];
  const isMerged = stateIn(pull, [false, false, true]);
  const at = '2026-03-01T12:00:00Z';
  return {
    ...base,
    number: pull.number,
    html_url: `${homeOf(pull.repository)}/pull/${pull.number}`,
    title: pull.title,
    body: pull.body,
    state: stateIn(pull, ['open', 'closed', 'closed']),
    draft: pull.draft,
    closed_at: stateIn(pull, [null, at, at]),
    merged_at: isMerged ? at : null,
    ...('merged' in base ? { merged: isMerged } : {}),
    merge_commit_sha: pull.mergeCommit,
    user: { ...(base.user as Json), login: pull.author },
    head: {
      ...head,
      ref: pull.headBranch,
      sha: pull.headCommit,
      repo: pull.fork === null ? null : githubRepository(target.repo as Json, pull.fork),
    },
    base: { ...target, ref: pull.baseBranch, repo: githubRepository(target.repo as Json, pull.repository) },
  };
}

export function githubChange(change: Change): Named {
  const actions = {
    opened: 'opened',
    updated: 'synchronize',
    edited: 'ready_for_review',
    reopened: 'reopened',
  };
  const action = isClosing(change) ? 'closed' : actions[change.action as keyof typeof actions];
  const base = example('pull_request', action);
  const payload = {
    ...base,
    number: change.number,
    pull_request: githubPullRequest(base.pull_request as Json, change),
    repository: githubRepository(base.repository as Json, change.repository),
    sender: { ...(base.sender as Json), login: change.actor ?? change.author },
  };
  return { name: 'pull_request', payload };
}

export function githubComment(given: Comment): Named {
  const { comment } = given;
  const user = (base: Json): Json => ({
    ...base,
    login: comment.author ?? 'grace',
    id: idOf(comment.author ?? 'grace'),
    type: comment.isBot ? 'Bot' : 'User',
  });
  const written = (base: Json): Json => ({
    ...base,
    id: comment.id,
    body: comment.body,
    html_url: `${homeOf(given.repository)}/pull/${given.number}#issuecomment-${comment.id}`,
    user: user(base.user as Json),
  });
  const around = (base: Json): Json => ({
    ...base,
    repository: githubRepository(base.repository as Json, given.repository),
    sender: user(base.sender as Json),
  });
  if (comment.review !== undefined) {
    const base = example('pull_request_review', 'submitted');
    const pull_request = githubPullRequest(base.pull_request as Json, given);
    const review = { ...written(base.review as Json), state: comment.review };
    return { name: 'pull_request_review', payload: { ...around(base), pull_request, review } };
  }
  if (comment.path !== undefined) {
    const base = example('pull_request_review_comment', 'created');
    const pull_request = githubPullRequest(base.pull_request as Json, given);
    const { in_reply_to_id: _, ...rest } = written(base.comment as Json);
    const line = comment.line ?? 1;
    const onLine = { ...rest, path: comment.path, line, original_line: line };
    return {
      name: 'pull_request_review_comment',
      payload: { ...around(base), pull_request, comment: onLine },
    };
  }
  const base = example('issue_comment', 'created');
  const url = `https://api.github.com/repos/acme/docs/pulls/${given.number}`;
  const html_url = `${homeOf(given.repository)}/pull/${given.number}`;
  const pull_request = { url, html_url, diff_url: `${html_url}.diff`, patch_url: `${html_url}.patch` };
  const issue = { ...(base.issue as Json), number: given.number, title: given.title, pull_request };
  return {
    name: 'issue_comment',
    payload: { ...around(base), issue, comment: written(base.comment as Json) },
  };
}

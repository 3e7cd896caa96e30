/** The options of `docyard projects agent` for branches, commits and pull requests. */
import { defaultBranchTemplate, defaultGitIdentity, GitIdentity, type Project } from '@docyard/api';
import type { Command } from 'commander';
import { CommandError } from './errors.ts';
import { check } from './local.ts';
import { definedOnly, listOf, shownList, textIn } from './option-values.ts';

type Stored = Project['agent'];

export interface GitOptions {
  /** False for `--no-branch`; likewise below. */
  branch?: string | false;
  author?: string | false;
  committer?: string | false;
  coAuthor?: string[] | false;
  signingKeyFile?: string;
  signingKey: boolean;
  label?: string[] | false;
  reviewer?: string[] | false;
  team?: string[] | false;
  assignee?: string[] | false;
}

export const gitOptionOfField = {
  branch: 'branch',
  signingKey: 'signing-key-file',
  labels: 'label',
  reviewers: 'reviewer',
  teams: 'team',
  assignees: 'assignee',
};

export function addGitOptions(command: Command): Command {
  return command
    .option('--branch <template>', 'name of branches, such as docs/{slug}; also {job} and {date}')
    .option('--no-branch', 'use the default name again')
    .option('--author <identity>', 'author of commits, as "Name <email>"')
    .option('--no-author', 'use the default author again')
    .option('--committer <identity>', 'committer of commits, if not the author')
    .option('--no-committer', 'the author is the committer again')
    .option('--co-author <identity...>', 'co-authors of commits; replaces the previous list')
    .option('--no-co-author', 'name no co-authors')
    .option(
      '--signing-key-file <file>',
      'SSH or OpenPGP private key that signs commits; - reads standard input',
    )
    .option('--no-signing-key', 'delete the signing key')
    .option('--label <name...>', 'labels of new pull requests; replaces the previous list')
    .option('--no-label', 'add no labels')
    .option('--reviewer <user...>', 'requested reviewers; replaces the previous list')
    .option('--no-reviewer', 'request no reviewers')
    .option('--team <name...>', 'requested teams; replaces the previous list')
    .option('--no-team', 'request no teams')
    .option('--assignee <user...>', 'assignees; replaces the previous list')
    .option('--no-assignee', 'set no assignees');
}

export function gitOf(options: GitOptions): Record<string, unknown> | undefined {
  const { coAuthor, signingKeyFile } = options;
  const signingKey = options.signingKey ? undefined : null;
  return unlessEmpty({
    branch: options.branch === false ? null : options.branch,
    author: identityIn(options.author, 'author'),
    committer: identityIn(options.committer, 'committer'),
    coAuthors: coAuthor === false ? [] : coAuthor?.map((text) => identityOf(text, 'co-author')),
    signingKey: signingKeyFile === undefined ? signingKey : textIn(signingKeyFile, '--signing-key-file'),
  });
}

export function pullRequestOf(options: GitOptions): Record<string, unknown> | undefined {
  return unlessEmpty({
    labels: listOf(options.label),
    reviewers: listOf(options.reviewer),
    teams: listOf(options.team),
    assignees: listOf(options.assignee),
  });
}

export function describedGit({ git, pullRequest }: Stored): [string, string][] {
  const { signingKey } = git;
  return [
    ['branch', git.branch ?? defaultBranchTemplate],
    ['author', textOf(git.author ?? defaultGitIdentity)],
    ['committer', git.committer === null ? 'the author' : textOf(git.committer)],
    ['co-authors', shownList(git.coAuthors.map(textOf))],
    ['signing key', signingKey.set ? `${signingKey.format ?? 'unknown'}, public key below` : 'none'],
    ['labels', shownList(pullRequest.labels)],
    ['reviewers', shownList(pullRequest.reviewers)],
    ['teams', shownList(pullRequest.teams)],
    ['assignees', shownList(pullRequest.assignees)],
  ];
}

function unlessEmpty(given: Record<string, unknown>): Record<string, unknown> | undefined {
  const change = definedOnly(given);
  return Object.keys(change).length === 0 ? undefined : change;
}

function identityIn(text: string | false | undefined, option: string): GitIdentity | null | undefined {
  if (text === undefined) return undefined;
  return text === false ? null : identityOf(text, option);
}

function identityOf(text: string, option: string): GitIdentity {
  const [, name, email] = /^([^<>]{1,200})<([^<>]{1,300})>$/.exec(text.trim()) ?? [];
  if (name === undefined || email === undefined)
    throw new CommandError(`--${option} ${text}: write it as "Name <email>".`, 'usage');
  return check(GitIdentity, { name, email }, { name: option, email: option });
}

function textOf({ name, email }: GitIdentity): string {
  return `${name} <${email}>`;
}

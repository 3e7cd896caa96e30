import type { FailureCode } from '@docyard/api';
import type { Tenant } from '../egress/rules.ts';
import type { GitCredential } from './forge.ts';

export interface SourceRequest {
  repository: string;
  ref: string | null;
  directory: string | null;
  /** The commit that an earlier attempt pinned. */
  commit: string | null;
  /** Whether folders and repositories on this machine are allowed. */
  allowLocal: boolean;
  /** Without a tenant, only hosts that are allowed for every organization can be reached. */
  tenant?: Tenant | undefined;
  /** For a private repository. */
  credential?: GitCredential | null | undefined;
}

export interface FetchedSource {
  /** The folder with docs.json. A local folder is the author's original and must not be modified. */
  folder: string;
  commit: string | null;
  /** ISO 8601, UTC. */
  committedAt: string | null;
  /** Null for a folder without git. Costs another fetch. */
  readHistory: (() => Promise<SourceHistory>) | null;
}

export interface SourceHistory {
  /** The day of the last change (`2026-05-14`) by path below the folder, where it is known. */
  changedOn: ReadonlyMap<string, string>;
  /** Null when the source is not a branch, or unknown. */
  branch: string | null;
  /** Why a part is missing. */
  problem: string | null;
}

export interface SourceComplaint {
  field: 'repository' | 'ref' | 'directory';
  message: string;
}

export interface BranchHead {
  /** Without `refs/heads/`. */
  branch: string;
  commit: string;
}

/** Small text files of one commit. */
export interface SourceFiles {
  /** Null for a folder without git. */
  commit: string | null;
  /** By path in the repository. Missing files, links and large files are left out. */
  files: ReadonlyMap<string, string>;
  /** Paths of files that are too large. */
  tooLarge: readonly string[];
}

/** What a commit changes, compared with its first parent. */
export interface SourceChange {
  /** The first parent; null without one. */
  before: string | null;
  /** Null if there are too many. */
  changedPaths: string[] | null;
  /** The unified diff, capped; null if it is too large to read. */
  patch: string | null;
}

export interface Sources {
  fetch(request: SourceRequest, workFolder: string, signal: AbortSignal): Promise<FetchedSource>;
  /** The newest commit of a branch; of the main branch without a ref. Throws a SourceError for a folder or a tag. */
  readHead(request: Omit<SourceRequest, 'commit' | 'directory'>, signal: AbortSignal): Promise<BranchHead>;
  /** Without a checkout; `directory` of the request is ignored. */
  readFiles(
    request: SourceRequest,
    wanted: { paths: readonly string[]; maxBytes: number },
    at: { workFolder: string; signal: AbortSignal },
  ): Promise<SourceFiles>;
  readChange(
    request: SourceRequest & { commit: string },
    at: { workFolder: string; signal: AbortSignal },
  ): Promise<SourceChange>;
  /** Why this source can never be fetched. Checks only the text. */
  refuse(request: Omit<SourceRequest, 'commit' | 'credential'>): SourceComplaint | undefined;
}

export class SourceError extends Error {
  readonly code: FailureCode;
  readonly hint: string | undefined;

  constructor(code: FailureCode, message: string, hint?: string) {
    super(message);
    this.name = 'SourceError';
    this.code = code;
    this.hint = hint;
  }
}

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

export interface Sources {
  fetch(request: SourceRequest, workFolder: string, signal: AbortSignal): Promise<FetchedSource>;
  /** The newest commit of a branch; of the main branch without a ref. Throws a SourceError for a folder or a tag. */
  readHead(request: Omit<SourceRequest, 'commit' | 'directory'>, signal: AbortSignal): Promise<BranchHead>;
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

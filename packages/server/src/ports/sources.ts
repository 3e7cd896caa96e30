/**
 * Brings the files of a documentation source to a folder of this machine.
 */
import type { FailureCode } from '@docyard/api';
import type { Tenant } from '../egress/rules.ts';
import type { GitCredential } from './forge.ts';

export interface SourceRequest {
  repository: string;
  ref: string | null;
  directory: string | null;
  /** The commit an earlier attempt pinned; the same one is fetched again. */
  commit: string | null;
  /** Folders and repositories of this machine are allowed. */
  allowLocal: boolean;
  /** On whose behalf; without it only hosts that are allowed for everybody are reached. */
  tenant?: Tenant | undefined;
  /** What opens a private repository. */
  credential?: GitCredential | null | undefined;
}

export interface FetchedSource {
  /** The folder with docs.json. For a plain folder it is the author's own: read, never write. */
  folder: string;
  commit: string | null;
  /** When that commit was made, as ISO text in UTC. */
  committedAt: string | null;
}

export interface SourceComplaint {
  field: 'repository' | 'ref' | 'directory';
  message: string;
}

export interface Sources {
  fetch(request: SourceRequest, workFolder: string, signal: AbortSignal): Promise<FetchedSource>;
  /** Why this source can never be fetched, or undefined. Looks only at the text. */
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

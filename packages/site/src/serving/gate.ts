import type { Exchange } from './send-file.ts';

/** Who sends a request, as far as access is concerned. */
export interface Reader {
  /** Null for a shared password. */
  name: string | null;
  groups: readonly string[];
}

/** Decides who may read a site. */
export interface Gate {
  /** The reader, or undefined when the gate has responded. */
  admit(exchange: Exchange, basePath: string): Promise<Reader | undefined>;
}

import type { SiteExchange } from './respond.ts';

/** Who sends a request, as far as access is concerned. */
export interface Reader {
  /** Null for a shared password. */
  name: string | null;
  groups: readonly string[];
}

export interface Visitor {
  /** Undefined for readers who have not signed in. */
  reader: Reader | undefined;
  /** Whether they must sign in to see what readers without a group see. */
  mustSignIn: boolean;
}

/** Decides who may read a site. */
export interface Gate {
  /** Undefined when the gate has responded. */
  admit(exchange: SiteExchange): Promise<Visitor | undefined>;
  /** Responds to a reader who has not signed in, in the same way for every path. */
  askToSignIn(exchange: SiteExchange): void;
  /** Responds to a reader whose groups may see nothing. */
  deny(exchange: SiteExchange, reader: Reader): Promise<void>;
}

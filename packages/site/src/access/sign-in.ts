/** A way to sign in. `AccessGate` calls it and keeps the sessions. */
import type { IncomingMessage } from 'node:http';
import type { Reader } from '../serving/gate.ts';
import type { CookieSigner } from './signed-cookies.ts';

export interface SignInStep {
  request: IncomingMessage;
  /** The address of the client, behind trusted proxies too. */
  clientAddress: string;
  /** Of the request. */
  query: URLSearchParams;
  /** The fields of a form that was sent; empty for other requests. */
  form: URLSearchParams;
  /** Path and query of the page to open afterwards, on this site. */
  to: string;
  /** The absolute URL of a path of the gate, such as `callback`. */
  addressOf(step: 'callback' | 'sign-in' | 'sign-out'): URL;
  cookies: CookieSigner;
}

export type Outcome =
  | { reader: Reader; to: string }
  | { redirect: string; pending?: object }
  | { page: SignInPage; status: number; retryAfterSeconds?: number };

export interface SignInPage {
  title: string;
  message?: string;
  isProblem?: boolean;
  /** The fields that the reader fills in; without them, `link` is the only way on. */
  asksForPassword?: boolean;
  link?: { label: string; address: string };
}

export interface SignIn {
  /** Shows what the reader has to do, or redirects to another server. */
  begin(step: SignInStep): Promise<Outcome>;
  /** A submitted form. */
  submit?(step: SignInStep): Promise<Outcome>;
  /** The return from another server. `pending` was returned by `begin`. */
  complete?(step: SignInStep, pending: unknown): Promise<Outcome>;
  /** Who the request itself proves the reader to be. */
  recognize?(request: IncomingMessage): Promise<Reader | undefined>;
  /** Where the reader also signs out. */
  signOutAddress?(step: SignInStep): Promise<string | undefined>;
}

export function problemPage(message: string, retry: URL): SignInPage {
  return {
    title: 'Sign-in failed',
    message,
    isProblem: true,
    link: { label: 'Try again', address: retry.pathname + retry.search },
  };
}

/**
 * Lets only readers who have signed in reach a site. It serves the pages of the sign-in below `/_docyard/access/`, and keeps
 * sessions in signed cookies.
 */
import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { z } from 'zod';
import { addressAllowed } from '../network/address-ranges.ts';
import { readRequestPath } from '../serving/request-path.ts';
import { type Exchange, send, sendText } from '../serving/send-file.ts';
import type { Gate, Reader } from '../serving/gate.ts';
import { readForm } from './form.ts';
import type { Outcome, SignIn, SignInPage, SignInStep } from './sign-in.ts';
import { pageHtml, pagePolicy } from './sign-in-page.ts';
import { type CookieSigner, cookieValues, setCookie } from './signed-cookies.ts';

export interface AccessGateOptions {
  signIn: SignIn;
  cookies: CookieSigner;
  sessionHours: number;
  /** The public URL of the site; null for the host of each request. */
  url: string | null;
  /** Their X-Forwarded-For and X-Forwarded-Proto are believed. */
  trustedProxies: readonly string[];
  siteName: string;
}

const sessionCookie = 'docyard_session';
const pendingCookie = 'docyard_sign_in';
const maxPendingSeconds = 600;
/** Browsers drop larger cookies without a message. */
const maxCookieCharacters = 3800;

const Session = z.object({ name: z.string().nullable(), groups: z.array(z.string()) });

const withoutForm = { action: '', button: null };

type Step = 'sign-in' | 'sign-out' | 'callback';

export class AccessGate implements Gate {
  readonly #options: AccessGateOptions;

  constructor(options: AccessGateOptions) {
    this.#options = options;
  }

  async admit(exchange: Exchange, basePath: string): Promise<Reader | undefined> {
    const { request } = exchange;
    const wanted = readRequestPath(request.url ?? '');
    const [path, query] = typeof wanted === 'string' ? ['/', ''] : [wanted.path, wanted.query];
    const own = `${basePath}/_docyard/access/`;
    const visit = new Visit(this.#options, exchange, { basePath, path, query });
    if (path.startsWith(own)) {
      await this.#serve(visit, path.slice(own.length));
      return undefined;
    }
    const reader = await this.#readerOf(request);
    if (reader === undefined) visit.askToSignIn();
    return reader;
  }

  async #readerOf(request: IncomingMessage): Promise<Reader | undefined> {
    const { signIn, cookies } = this.#options;
    const session = cookies.verify('session', cookieValues(request.headers.cookie, sessionCookie), Session);
    return session ?? (await signIn.recognize?.(request));
  }

  async #serve(visit: Visit, name: string): Promise<void> {
    const { method = '' } = visit.exchange.request;
    const isPost = method === 'POST';
    if (!isPost && method !== 'GET' && method !== 'HEAD')
      return sendText(visit.exchange, 405, 'Only GET, HEAD and POST are supported.', [
        'Allow',
        'GET, HEAD, POST',
      ]);
    if (isPost && !visit.isFromThisSite())
      return sendText(
        visit.exchange,
        403,
        'The form was sent from another site. Open this site and try again.',
      );
    const form = isPost ? await readForm(visit.exchange.request) : new URLSearchParams();
    if (form === undefined) return sendText(visit.exchange, 400, 'The form cannot be read.');
    const step = visit.step(form);
    if (name === 'sign-in') return this.#signIn(visit, step, isPost);
    if (name === 'sign-out') return this.#signOut(visit, step, isPost);
    if (name === 'callback' && !isPost) return this.#complete(visit, step);
    return sendText(visit.exchange, 404, 'Not found.');
  }

  async #signIn(visit: Visit, step: SignInStep, isPost: boolean): Promise<void> {
    const { signIn } = this.#options;
    const reader = isPost ? undefined : await this.#readerOf(step.request);
    if (reader !== undefined) return visit.redirect(step.to);
    visit.finish(await (isPost && signIn.submit !== undefined ? signIn.submit(step) : signIn.begin(step)));
  }

  async #complete(visit: Visit, step: SignInStep): Promise<void> {
    const { signIn, cookies } = this.#options;
    if (signIn.complete === undefined) return sendText(visit.exchange, 404, 'Not found.');
    const texts = cookieValues(step.request.headers.cookie, pendingCookie);
    const pending = cookies.verify('pending', texts, z.unknown());
    visit.finish(await signIn.complete(step, pending));
  }

  async #signOut(visit: Visit, step: SignInStep, isPost: boolean): Promise<void> {
    const { signIn } = this.#options;
    if (isPost) {
      const provider = await signIn.signOutAddress?.(step);
      return visit.redirect(provider ?? visit.pathOf('sign-out'), [visit.cookie(sessionCookie, '', 0)]);
    }
    const reader = await this.#readerOf(step.request);
    if (reader === undefined) {
      const link = { label: 'Sign in again', address: visit.pathOf('sign-in') };
      return visit.show({ title: 'You are signed out', link }, 200, withoutForm);
    }
    const formTarget = await signIn.signOutAddress?.(step);
    const message = reader.name === null ? {} : { message: `You are signed in as ${reader.name}.` };
    const link = { label: 'Back to the site', address: step.to };
    visit.show({ title: 'Sign out', ...message, link }, 200, {
      action: visit.pathOf('sign-out'),
      button: 'Sign out',
      formTarget,
    });
  }
}

/** One request at the gate, with its addresses and cookies. */
class Visit {
  readonly exchange: Exchange;
  readonly #options: AccessGateOptions;
  readonly #basePath: string;
  readonly #target: string;
  readonly #query: URLSearchParams;
  /** A trusted proxy sent the request. */
  readonly #isForwarded: boolean;

  constructor(
    options: AccessGateOptions,
    exchange: Exchange,
    { basePath, path, query }: { basePath: string; path: string; query: string },
  ) {
    this.exchange = exchange;
    this.#options = options;
    this.#basePath = basePath;
    this.#query = new URLSearchParams(query);
    this.#target = encodeURI(path).replaceAll(/[?#]/g, encodeURIComponent) + query;
    const { trustedProxies } = options;
    this.#isForwarded =
      trustedProxies.length > 0 &&
      addressAllowed(trustedProxies, exchange.request.socket.remoteAddress ?? '');
  }

  step(form: URLSearchParams): SignInStep {
    const to = this.#localPath(this.#query.get('to') ?? '');
    return {
      request: this.exchange.request,
      clientAddress: this.#clientAddress(),
      query: this.#query,
      form,
      to,
      addressOf: (step) => {
        const address = new URL(`${this.#origin()}${this.pathOf(step)}`);
        if (step === 'sign-in') address.searchParams.set('to', to);
        return address;
      },
      cookies: this.#options.cookies,
    };
  }

  pathOf(step: Step): string {
    return `${encodeURI(this.#basePath)}/_docyard/access/${step}`;
  }

  askToSignIn(): void {
    const { method, headers } = this.exchange.request;
    const isPage = method === 'GET' && (headers.accept ?? '').includes('text/html');
    if (isPage) return this.redirect(`${this.pathOf('sign-in')}?to=${encodeURIComponent(this.#target)}`);
    sendText(this.exchange, 401, `Sign in at ${this.#origin()}${this.pathOf('sign-in')} to read this site.`);
  }

  finish(outcome: Outcome): void {
    const { cookies, sessionHours } = this.#options;
    if ('redirect' in outcome) {
      const { redirect, pending } = outcome;
      const kept =
        pending === undefined
          ? []
          : [
              this.cookie(
                pendingCookie,
                cookies.sign('pending', pending, maxPendingSeconds),
                maxPendingSeconds,
              ),
            ];
      return this.redirect(redirect, kept);
    }
    if ('page' in outcome) {
      const { page, status, retryAfterSeconds } = outcome;
      const action = `${this.pathOf('sign-in')}?to=${encodeURIComponent(this.step(new URLSearchParams()).to)}`;
      const button = page.asksForPassword ? 'Sign in' : null;
      return this.show(page, status, { action, button }, retryAfterSeconds);
    }
    const seconds = sessionHours * 3600;
    const session = cookies.sign('session', outcome.reader, seconds);
    if (session.length > maxCookieCharacters) {
      const message =
        'Your account has too many groups to sign in here. Ask the owner of this site for help.';
      return this.show({ title: 'Sign-in failed', message, isProblem: true }, 403, withoutForm);
    }
    this.redirect(outcome.to, [
      this.cookie(sessionCookie, session, seconds),
      this.cookie(pendingCookie, '', 0),
    ]);
  }

  show(
    page: SignInPage,
    status: number,
    { formTarget, ...parts }: { action: string; button: string | null; formTarget?: string | undefined },
    retryAfterSeconds?: number,
  ): void {
    const html = Buffer.from(pageHtml({ ...page, ...parts, siteName: this.#options.siteName }));
    send(
      this.exchange,
      status,
      [
        'Content-Type',
        'text/html; charset=utf-8',
        'Content-Length',
        String(html.length),
        'Cache-Control',
        'no-store',
        'Content-Security-Policy',
        pagePolicy(formTarget),
        'X-Content-Type-Options',
        'nosniff',
        'Referrer-Policy',
        'same-origin',
        ...(retryAfterSeconds === undefined ? [] : ['Retry-After', String(retryAfterSeconds)]),
      ],
      html,
    );
  }

  redirect(to: string, cookies: readonly string[] = []): void {
    send(this.exchange, 303, [
      'Location',
      to,
      'Content-Length',
      '0',
      'Cache-Control',
      'no-store',
      ...cookies.flatMap((cookie) => ['Set-Cookie', cookie]),
    ]);
  }

  cookie(name: string, value: string, maxAgeSeconds: number): string {
    const isSecure = this.#origin().startsWith('https:');
    return setCookie(value, { name, path: `${encodeURI(this.#basePath)}/`, maxAgeSeconds, isSecure });
  }

  /** Browsers send these headers with every form. A client without them has no cookies of a victim. */
  isFromThisSite(): boolean {
    const { origin, 'sec-fetch-site': site } = this.exchange.request.headers;
    if (site !== undefined) return site === 'same-origin';
    return origin === undefined || URL.parse(origin)?.host === new URL(this.#origin()).host;
  }

  #origin(): string {
    if (this.#options.url !== null) return new URL(this.#options.url).origin;
    const { headers, socket } = this.exchange.request;
    const forwarded = this.#isForwarded ? headers['x-forwarded-proto']?.toString() : undefined;
    const isSecure =
      forwarded === undefined ? (socket as Partial<TLSSocket>).encrypted === true : forwarded === 'https';
    const host = URL.parse(`http://${headers.host ?? ''}`)?.host ?? 'localhost';
    return `${isSecure ? 'https' : 'http'}://${host}`;
  }

  #clientAddress(): string {
    const { headers, socket } = this.exchange.request;
    const own = socket.remoteAddress ?? '';
    if (!this.#isForwarded) return own;
    const chain = (headers['x-forwarded-for']?.toString() ?? '').split(',').map((each) => each.trim());
    const { trustedProxies } = this.#options;
    return chain.findLast((address) => address !== '' && !addressAllowed(trustedProxies, address)) ?? own;
  }

  /** Never another host, and never the gate itself. */
  #localPath(text: string): string {
    const home = `${encodeURI(this.#basePath)}/`;
    const url = text.startsWith('/') ? URL.parse(text, 'http://site.invalid') : null;
    if (url === null || url.origin !== 'http://site.invalid') return home;
    const isInside = url.pathname.startsWith(home) && !url.pathname.startsWith(`${home}_docyard/access/`);
    // `//host` would be another host.
    return isInside && !url.pathname.startsWith('//') ? url.pathname + url.search : home;
  }
}

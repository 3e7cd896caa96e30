/** One request at the gate, with its addresses and cookies. */
import { randomBytes } from 'node:crypto';
import { clientAddressOf, isSameOrigin, originOf, type PublicAddress } from '../serving/request-origin.ts';
import { readRequestPath } from '../serving/request-path.ts';
import type { SiteExchange } from '../serving/respond.ts';
import { send, sendText } from '../serving/send-file.ts';
import type { Outcome, SignInPage, SignInStep } from './sign-in.ts';
import { pageHtml, pagePolicy } from './sign-in-page.ts';
import { type CookieSigner, setCookie } from './signed-cookies.ts';

export interface VisitOptions extends PublicAddress {
  cookies: CookieSigner;
  sessionHours: number;
  /** For pages without a theme. */
  siteName: string;
}

export const sessionCookie = 'docyard_session';
export const pendingCookie = 'docyard_sign_in';
const maxPendingSeconds = 600;
/** Browsers drop larger cookies without a message. */
const maxCookieCharacters = 3800;

const withoutForm = { action: '', button: null };

type Step = 'sign-in' | 'sign-out' | 'callback';

export class Visit {
  readonly exchange: SiteExchange;
  readonly #options: VisitOptions;
  readonly #basePath: string;
  readonly #path: string;
  readonly #target: string;
  readonly #query: URLSearchParams;

  constructor(options: VisitOptions, exchange: SiteExchange) {
    const { request, site } = exchange;
    const wanted = readRequestPath(request.url ?? '');
    const [path, query] = typeof wanted === 'string' ? ['/', ''] : [wanted.path, wanted.query];
    this.exchange = exchange;
    this.#options = options;
    this.#basePath = site.basePath;
    this.#path = path;
    this.#query = new URLSearchParams(query);
    this.#target = encodeURI(path).replaceAll(/[?#]/g, encodeURIComponent) + query;
  }

  /** The name of a page of the gate; undefined for paths of the site. */
  ownPath(): string | undefined {
    const own = `${this.#basePath}/_docyard/access/`;
    return this.#path.startsWith(own) ? this.#path.slice(own.length) : undefined;
  }

  signInStep(form: URLSearchParams): SignInStep {
    const to = this.#localPath(this.#query.get('to') ?? '');
    return {
      request: this.exchange.request,
      clientAddress: clientAddressOf(this.exchange.request, this.#options.trustedProxies),
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

  async finish(outcome: Outcome): Promise<void> {
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
      const action = `${this.pathOf('sign-in')}?to=${encodeURIComponent(this.signInStep(new URLSearchParams()).to)}`;
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

  async show(
    page: SignInPage,
    status: number,
    { formTarget, ...parts }: { action: string; button: string | null; formTarget?: string | undefined },
    retryAfterSeconds?: number,
  ): Promise<void> {
    const nonce = randomBytes(16).toString('base64');
    const template = await this.exchange.site.readSignInPage();
    const { siteName } = this.#options;
    const html = Buffer.from(pageHtml({ ...page, ...parts, siteName, nonce, template }));
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
        pagePolicy({ nonce, formTarget }),
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

  isFromThisSite(): boolean {
    return isSameOrigin(this.exchange.request, this.#options);
  }

  #origin(): string {
    return originOf(this.exchange.request, this.#options);
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

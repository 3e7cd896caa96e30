/**
 * The cookie that carries a session, and the check that a request which uses it comes from a page of ours. Nothing here
 * decides what the session may do.
 */
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { Context } from '../context.ts';
import { addressAllowed } from '../keys/addresses.ts';
import { Problem } from '../problem.ts';
import { callerAddress, originOf, type Web } from './request.ts';

/** A browser takes the first name only over a way that it trusts, and only from this very host. */
const secureName = '__Host-docyard';
const plainName = 'docyard';
/** Says nothing of anybody. A browser that sends it back keeps secure cookies of this address. */
const probeName = '__Host-docyard-probe';
const longestSeconds = 30 * 86_400;

const ownMachine = ['127.0.0.0/8', '::1'];

type CookieContext = Pick<Context, 'config' | 'log'>;

export function sessionToken(context: CookieContext, web: Web): string | undefined {
  const token = getCookie(web, secureName) ?? (isHttps(context, web) ? undefined : getCookie(web, plainName));
  return token !== undefined && /^[\w-]{43}$/.test(token) ? token : undefined;
}

/**
 * For the pages on which people sign in. Over plain http on the own machine Chromium and Firefox keep secure cookies and Safari
 * does not: it is found out beforehand, so that each of them gets the best cookie that it keeps.
 */
export function probeForSecureCookies(context: CookieContext, web: Web): void {
  if (!keepsSecureCookies(context, web)) setCookie(web, probeName, '1', attributes(true));
}

export function giveSession(context: CookieContext, web: Web, token: string): void {
  if (!isHttps(context, web) && !addressAllowed(ownMachine, callerAddress(context, web))) {
    context.log.warn('somebody signed in without https: their session can be read on the way');
  }
  const secure = keepsSecureCookies(context, web);
  const name = secure ? secureName : plainName;
  setCookie(web, name, token, { ...attributes(secure), maxAge: longestSeconds });
  // The browser may have signed in before it was known to keep the better one.
  takeCookies(web, name === secureName ? [plainName] : [secureName]);
}

export function takeSession(web: Web): void {
  takeCookies(web, [secureName, plainName]);
}

function takeCookies(web: Web, names: readonly string[]): void {
  const given = getCookie(web);
  for (const name of names) {
    if (given[name] !== undefined) deleteCookie(web, name, attributes(name === secureName));
  }
}

function attributes(secure: boolean) {
  return { path: '/', httpOnly: true, sameSite: 'Lax', secure } as const;
}

/**
 * Browsers name the page that sends a request which changes something. One of another site must not act for whoever is
 * signed in here.
 */
export function requireOwnOrigin(context: CookieContext, web: Web): void {
  const given = web.req.header('origin');
  if (given !== undefined && isOwnOrigin(context, web, given)) return;
  const own = originOf(context, web);
  throw new Problem(
    'origin_refused',
    `A session can be used only by pages of ${own}. Open the dashboard there.`,
  );
}

/** For requests that begin a session: programs send no origin, pages of other sites do. */
export function refuseForeignOrigin(context: CookieContext, web: Web): void {
  if (web.req.header('origin') !== undefined) requireOwnOrigin(context, web);
}

/** Without PUBLIC_URL nobody has told us whether there is a proxy that speaks https: the host alone counts. */
function isOwnOrigin(context: CookieContext, web: Web, given: string): boolean {
  const { publicUrl } = context.config;
  const origin = URL.parse(given);
  if (origin === null) return false;
  if (publicUrl !== null) return origin.origin === new URL(publicUrl).origin;
  return origin.host !== '' && origin.host === web.req.header('host')?.toLowerCase();
}

function keepsSecureCookies(context: CookieContext, web: Web): boolean {
  return isHttps(context, web) || getCookie(web, probeName) !== undefined;
}

/** A page of ours that was loaded over https says so, even when the proxy in between does not. */
function isHttps(context: CookieContext, web: Web): boolean {
  if (originOf(context, web).startsWith('https:')) return true;
  const given = web.req.header('origin');
  return given !== undefined && given.startsWith('https:') && isOwnOrigin(context, web, given);
}

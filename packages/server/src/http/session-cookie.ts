/** The session cookie, and the CSRF check for requests that use it. */
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import type { Context } from '../context.ts';
import { addressAllowed } from '@docyard/site/network';
import { Problem } from '../problem.ts';
import { callerAddress, originOf, type Web } from './request.ts';

/** Browsers accept the `__Host-` prefix only over a trustworthy connection and only from this host. */
const secureName = '__Host-docyard';
const plainName = 'docyard';
/** Carries no data. A browser that returns it accepts secure cookies from this origin. */
const probeName = '__Host-docyard-probe';
const maxSeconds = 30 * 86_400;

const loopback = ['127.0.0.0/8', '::1'];

type CookieContext = Pick<Context, 'config' | 'log'>;

export function sessionToken(context: CookieContext, web: Web): string | undefined {
  const token = getCookie(web, secureName) ?? (isHttps(context, web) ? undefined : getCookie(web, plainName));
  return token !== undefined && /^[\w-]{43}$/.test(token) ? token : undefined;
}

/**
 * For pages with a sign-in form. Over plain http on localhost, Chromium and Firefox accept secure cookies and Safari
 * does not; the probe detects it before a session starts.
 */
export function probeForSecureCookies(context: CookieContext, web: Web): void {
  if (!acceptsSecureCookies(context, web)) setCookie(web, probeName, '1', attributes(true));
}

export function setSessionCookie(context: CookieContext, web: Web, token: string): void {
  if (!isHttps(context, web) && !addressAllowed(loopback, callerAddress(context, web))) {
    context.log.warn('a user signed in without https: the session can be intercepted');
  }
  const secure = acceptsSecureCookies(context, web);
  const name = secure ? secureName : plainName;
  setCookie(web, name, token, { ...attributes(secure), maxAge: maxSeconds });
  // The browser may have an older session under the other name.
  clearCookies(web, name === secureName ? [plainName] : [secureName]);
}

export function clearSessionCookie(web: Web): void {
  clearCookies(web, [secureName, plainName]);
}

function clearCookies(web: Web, names: readonly string[]): void {
  const given = getCookie(web);
  for (const name of names) {
    if (given[name] !== undefined) deleteCookie(web, name, attributes(name === secureName));
  }
}

function attributes(secure: boolean) {
  return { path: '/', httpOnly: true, sameSite: 'Lax', secure } as const;
}

/**
 * CSRF protection: browsers send Origin with state-changing requests, and a page of another site must not act for a
 * signed-in user.
 */
export function requireSameOrigin(context: CookieContext, web: Web): void {
  const given = web.req.header('origin');
  if (given !== undefined && isSameOrigin(context, web, given)) return;
  const own = originOf(context, web);
  throw new Problem(
    'origin_refused',
    `A session can only be used by pages of ${own}. Open the dashboard there.`,
  );
}

/** For requests that start a session: programs send no origin, pages of other sites do. */
export function refuseForeignOrigin(context: CookieContext, web: Web): void {
  if (web.req.header('origin') !== undefined) requireSameOrigin(context, web);
}

/** Without PUBLIC_URL a proxy may terminate https, so only the host is compared. */
function isSameOrigin(context: CookieContext, web: Web, given: string): boolean {
  const { publicUrl } = context.config;
  const origin = URL.parse(given);
  if (origin === null) return false;
  if (publicUrl !== null) return origin.origin === new URL(publicUrl).origin;
  return origin.host !== '' && origin.host === web.req.header('host')?.toLowerCase();
}

function acceptsSecureCookies(context: CookieContext, web: Web): boolean {
  return isHttps(context, web) || getCookie(web, probeName) !== undefined;
}

/** The Origin header reveals https even when the proxy does not report it. */
function isHttps(context: CookieContext, web: Web): boolean {
  if (originOf(context, web).startsWith('https:')) return true;
  const given = web.req.header('origin');
  return given !== undefined && given.startsWith('https:') && isSameOrigin(context, web, given);
}

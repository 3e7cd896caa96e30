/** Formats one request as a line of the access log. */
import { plainAddress } from '../network/internal-addresses.ts';

export const accessLogFormats = ['common', 'combined', 'json'] as const;
export type AccessLogFormat = (typeof accessLogFormats)[number];

export interface LoggedRequest {
  startedAt: Date;
  durationMs: number;
  /** Null for one site, and for a host that no site has. */
  site: string | null;
  remoteAddress: string | undefined;
  method: string;
  target: string;
  httpVersion: string;
  host: string | undefined;
  referer: string | undefined;
  userAgent: string | undefined;
  status: number;
  bodyBytes: number;
  /** False when the client disconnected before the end of the response. */
  isComplete: boolean;
}

const maxFieldCharacters = 2048;

export function accessLogLine(format: AccessLogFormat, request: LoggedRequest): string {
  return format === 'json' ? jsonLine(request) : textLine(request, format === 'combined');
}

function jsonLine(request: LoggedRequest): string {
  const { startedAt, durationMs, remoteAddress, target, referer, ...rest } = request;
  const { site, method, httpVersion, host, userAgent, status, bodyBytes, isComplete } = rest;
  const record = {
    time: startedAt.toISOString(),
    site,
    remoteAddress: remoteAddress === undefined ? null : plainAddress(remoteAddress),
    method,
    host: shortened(host) ?? null,
    target: shortened(withoutSecrets(target)),
    protocol: `HTTP/${httpVersion}`,
    status,
    bodyBytes,
    isComplete,
    durationMs: Math.round(durationMs * 1000) / 1000,
    referer: referer === undefined ? null : shortened(withoutSecrets(referer)),
    userAgent: shortened(userAgent) ?? null,
  };
  return `${JSON.stringify(record)}\n`;
}

/** The NCSA format of Apache: `-` for a missing value and for an empty body. */
function textLine(request: LoggedRequest, isCombined: boolean): string {
  const { startedAt, remoteAddress, method, target, httpVersion, status, bodyBytes } = request;
  const address = remoteAddress === undefined ? '-' : plainAddress(remoteAddress);
  const line = `${method} ${withoutSecrets(target)} HTTP/${httpVersion}`;
  const size = bodyBytes === 0 ? '-' : String(bodyBytes);
  const common = `${address} - - [${ncsaTime(startedAt)}] ${quoted(line)} ${status} ${size}`;
  if (!isCombined) return `${common}\n`;
  const { referer, userAgent } = request;
  return `${common} ${quoted(referer && withoutSecrets(referer))} ${quoted(userAgent)}\n`;
}

/** As nginx escapes, so that a value cannot end its field or its line. */
function quoted(value: string | undefined): string {
  if (value === undefined || value === '') return '"-"';
  const text = shortened(value) ?? '';
  return /^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : `"${text.replaceAll(/[^ !#-[\]-~]/g, hexEscaped)}"`;
}

/** Values of headers are latin1. */
function hexEscaped(character: string): string {
  return Buffer.from(character, 'utf8')
    .toString('hex')
    .toUpperCase()
    .replaceAll(/../g, (byte) => String.raw`\x${byte}`);
}

function shortened(value: string | undefined): string | undefined {
  return value === undefined || value.length <= maxFieldCharacters
    ? value
    : `${value.slice(0, maxFieldCharacters)}...`;
}

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
let lastTime = { second: -1, text: '' };

/** `10/Oct/2000:13:55:36 -0700` */
function ncsaTime(date: Date): string {
  const second = Math.floor(date.getTime() / 1000);
  if (second === lastTime.second) return lastTime.text;
  const two = (value: number) => String(value).padStart(2, '0');
  const offset = -date.getTimezoneOffset();
  const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
  const day = `${two(date.getDate())}/${months[date.getMonth()]}/${date.getFullYear()}`;
  const text = `${day}:${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())} ${zone}`;
  lastTime = { second, text };
  return text;
}

const secretName =
  /auth|code|cookie|cred|jwt|key|nonce|otp|pass|pwd|secret|session|^sid$|^s$|^sig|signature|state|ticket|token/i;
/** Keys, signatures and tokens are long and without spaces. */
const secretValue = /^(?=.*\d)[\w.~+/=%:-]{24,}$/;
const hidden = '[hidden]';

/** A path or URL whose query has no values that may be secret, and without a user and a fragment. */
export function withoutSecrets(address: string): string {
  const withoutUser = address.startsWith('/') ? address : address.replace(/^(https?:\/\/)[^/?#]*@/i, '$1');
  const start = withoutUser.search(/[?#]/);
  if (start < 0) return withoutUser;
  const [query = ''] = withoutUser.slice(start).split('#', 1);
  return (
    withoutUser.slice(0, start) +
    query
      .split(/(?<=[?&;])/)
      .map(withoutSecretValue)
      .join('')
  );
}

/** `part` is a name, a value and the separator behind them. */
function withoutSecretValue(part: string): string {
  const equals = part.indexOf('=');
  const separator = /[?&;]$/.test(part) ? part.slice(-1) : '';
  const end = part.length - separator.length;
  const name = equals < 0 ? '' : decoded(part.slice(0, equals));
  const value = part.slice(equals + 1, end);
  if (value === '' || !(secretName.test(name) || secretValue.test(value))) return part;
  return part.slice(0, equals + 1) + hidden + separator;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** S3 clients: URL, timeouts and retries. Credentials come from the default chain of the AWS SDK. */
import { readFile } from 'node:fs/promises';
import { rootCertificates } from 'node:tls';
import { S3Client, type S3ClientConfig } from '@aws-sdk/client-s3';

/** Jobs wait for a server that restarts or moves. */
export const writeTimeoutSeconds = 150;
const writeAnswerSeconds = 120;
/** A caller is waiting. */
export const readTimeoutSeconds = 3;
const readAnswerSeconds = 10;
const connectSeconds = 3;
export const pauseMs = { first: 100, max: 4000 };

/** Counts every request, retries included. */
export interface S3Measures {
  s3Requested(request: { operation: string; seconds: number; failed: boolean }): void;
}

export interface S3Location {
  bucket: string;
  /** Empty, or ends with a slash. */
  prefix: string;
  endpoint: string | undefined;
  region: string | undefined;
  pathStyle: boolean;
  caFile: string | undefined;
}

/** `s3://bucket/prefix?endpoint=https://…&region=…&pathStyle=true&ca=/file`. Throws a readable message. */
export function parseS3Url(text: string): S3Location {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 's3:' || !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.hostname))
    throw new Error(`${text} is not of the form s3://bucket/prefix?endpoint=https://….`);
  if (url.username !== '' || url.password !== '')
    throw new Error(
      'The address must not contain credentials. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.',
    );
  for (const name of url.searchParams.keys()) {
    if (!['endpoint', 'region', 'pathStyle', 'ca'].includes(name))
      throw new Error(`${name} is not a parameter. Use endpoint, region, pathStyle or ca.`);
  }
  const endpoint = url.searchParams.get('endpoint') ?? undefined;
  if (endpoint !== undefined && !(URL.canParse(endpoint) && /^https?:\/\//.test(endpoint)))
    throw new Error(`endpoint=${endpoint} is not an http or https address.`);
  const pathStyle = url.searchParams.get('pathStyle') ?? String(endpoint !== undefined);
  if (!['true', 'false'].includes(pathStyle)) throw new Error(`pathStyle=${pathStyle} is not true or false.`);
  const path = url.pathname.replaceAll(/^\/+|(?<!\/)\/+$/g, '');
  return {
    bucket: url.hostname,
    prefix: path === '' ? '' : `${checkPrefix(path)}/`,
    endpoint,
    // Self-hosted servers have no regions, but a signature must name one.
    region: url.searchParams.get('region') ?? (endpoint === undefined ? undefined : 'us-east-1'),
    pathStyle: pathStyle === 'true',
    caFile: url.searchParams.get('ca') ?? undefined,
  };
}

const prefixPattern = /^[A-Za-z0-9_-]+(\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/;

function checkPrefix(path: string): string {
  if (!prefixPattern.test(path)) throw new Error(`Not an object name: ${path}`);
  return path;
}

export interface S3Clients {
  /** For jobs. */
  patient: S3Client;
  /** For requests of callers, who can retry. */
  prompt: S3Client;
}

export async function makeS3Clients(location: S3Location, measures?: S3Measures): Promise<S3Clients> {
  const { caFile } = location;
  const ca = caFile === undefined ? undefined : [...rootCertificates, await readFile(caFile, 'utf8')];
  const config = (patienceSeconds: number, answerSeconds: number): S3ClientConfig => ({
    forcePathStyle: location.pathStyle,
    ...(location.endpoint === undefined ? {} : { endpoint: location.endpoint }),
    ...(location.region === undefined ? {} : { region: location.region }),
    // The default checksums of the SDK break older servers such as Ceph 16.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    retryStrategy: tryAgainFor(patienceSeconds),
    requestHandler: {
      connectionTimeout: connectSeconds * 1000,
      requestTimeout: answerSeconds * 1000,
      throwOnRequestTimeout: true,
      ...(ca === undefined ? {} : { httpsAgent: { ca } }),
    },
  });
  const prompt = new S3Client(config(readTimeoutSeconds, readAnswerSeconds));
  const patient = new S3Client({
    ...config(writeTimeoutSeconds, writeAnswerSeconds),
    credentials: prompt.config.credentials,
  });
  if (measures !== undefined) for (const client of [patient, prompt]) measureRequests(client, measures);
  return { patient, prompt };
}

/** Below the retries, so that every attempt is measured. */
function measureRequests(client: S3Client, measures: S3Measures): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const beganMs = performance.now();
        const ended = (hasFailed: boolean) =>
          measures.s3Requested({
            operation: (commandName ?? 'other').replace(/Command$/, ''),
            seconds: (performance.now() - beganMs) / 1000,
            failed: hasFailed,
          });
        try {
          const answer = await next(args);
          ended(false);
          return answer;
        } catch (error) {
          ended(!isMissing(error));
          throw error;
        }
      },
    { step: 'deserialize', priority: 'high', name: 'docyardMeasures' },
  );
}

/** A missing object is not a failure. */
function isMissing(error: unknown): boolean {
  const { $metadata } = error as { $metadata?: { httpStatusCode?: number } };
  return $metadata?.httpStatusCode === 404;
}

interface Try {
  deadline: number;
  getRetryCount(): number;
  getRetryDelay(): number;
}

/** Retries for a duration rather than a number of attempts, because a restart takes a certain time. */
function tryAgainFor(seconds: number) {
  const nextTry = (deadline: number, retries: number): Try => {
    const waitMs = Math.min(pauseMs.max, pauseMs.first * 2 ** retries) * (0.5 + Math.random() / 2);
    const leftMs = Math.max(0, deadline - Date.now());
    return { deadline, getRetryCount: () => retries, getRetryDelay: () => Math.min(waitMs, leftMs) };
  };
  return {
    acquireInitialRetryToken: async () => nextTry(Date.now() + seconds * 1000, 0),
    async refreshRetryTokenForRetry(last: Try, { errorType }: { errorType: string }) {
      if (errorType === 'CLIENT_ERROR' || Date.now() >= last.deadline) throw new Error('No more tries.');
      return nextTry(last.deadline, last.getRetryCount() + 1);
    },
    recordSuccess: () => {},
  };
}

export function s3ErrorReason(error: unknown): string {
  const { name, code, message } = error as NodeJS.ErrnoException;
  const reason = [code, name, message].find((text) => text !== undefined && text !== '' && text !== 'Error');
  return reason ?? 'unknown reason';
}

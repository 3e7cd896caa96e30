/**
 * The certificates of all sites, chosen by SNI. They are replaced while connections are open; files that cannot be
 * used leave the former certificate in place.
 */
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContext } from 'node:tls';
import type { Logger } from 'pino';
import { fileErrorReason } from '../disk/file-error.ts';
import { ConfigError } from '../errors.ts';

export interface CertificateFiles {
  certFile: string;
  keyFile: string;
}

export interface CertifiedSite {
  hosts: readonly string[];
  files: CertificateFiles;
}

interface Certificate {
  files: CertificateFiles;
  pair: readonly [cert: string, key: string];
  context: SecureContext;
  validUntil: Date;
}

const minVersion = 'TLSv1.2';

export class Certificates {
  readonly #sites: readonly CertifiedSite[];
  readonly #log: Pick<Logger, 'error' | 'info' | 'warn'>;
  /** By the path of the certificate. */
  readonly #loaded = new Map<string, Certificate>();
  readonly #byHost = new Map<string, Certificate>();
  readonly #default: string;
  readonly #listeners: (() => void)[] = [];
  readonly #lastErrors = new Map<string, string>();

  /** The first site's certificate is for clients that name no host or an unknown one. */
  constructor(sites: readonly CertifiedSite[], log: Pick<Logger, 'error' | 'info' | 'warn'>) {
    const [first] = sites;
    if (first === undefined)
      throw new ConfigError('TLS needs a certificate. Set tls.certFile and tls.keyFile.');
    this.#sites = sites;
    this.#log = log;
    this.#default = keyOf(first.files);
    for (const { files } of sites) this.#loaded.set(keyOf(files), load(files));
    this.#assign();
    this.#warnOfExpired();
  }

  get files(): string[] {
    return [...this.#loaded.values()].flatMap(({ files }) => [files.certFile, files.keyFile]);
  }

  /** End of validity by certificate file. */
  get validUntil(): { file: string; date: Date }[] {
    return [...this.#loaded.values()].map(({ files, validUntil }) => ({
      file: files.certFile,
      date: validUntil,
    }));
  }

  /** For `createServer` and `setSecureContext`. A client without SNI gets the certificate of the options. */
  get tlsOptions() {
    const [cert, key] = this.#loaded.get(this.#default)?.pair ?? ['', ''];
    return {
      cert,
      key,
      minVersion,
      SNICallback: (host: string, answer: (error: null, context?: SecureContext) => void) =>
        answer(null, this.contextFor(host)),
    } as const;
  }

  contextFor(host: string): SecureContext | undefined {
    return (this.#byHost.get(host.toLowerCase()) ?? this.#loaded.get(this.#default))?.context;
  }

  /** Called after every change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** True when a certificate has changed. */
  reload(): boolean {
    let hasChanged = false;
    for (const [key, before] of this.#loaded) {
      try {
        const pair = pairOf(before.files);
        if (pair.every((text, index) => text === before.pair[index])) continue;
        this.#loaded.set(key, load(before.files));
        this.#lastErrors.delete(key);
        hasChanged = true;
        this.#log.info({ file: before.files.certFile }, 'a new certificate is in use');
      } catch (error) {
        this.#reportOnce(key, (error as Error).message);
      }
    }
    if (hasChanged) {
      this.#assign();
      this.#warnOfExpired();
      for (const listener of this.#listeners) listener();
    }
    return hasChanged;
  }

  #assign(): void {
    for (const { hosts, files } of this.#sites) {
      const certificate = this.#loaded.get(keyOf(files));
      if (certificate !== undefined) for (const host of hosts) this.#byHost.set(host, certificate);
    }
  }

  #warnOfExpired(): void {
    for (const { file, date } of this.validUntil) {
      if (date.getTime() < Date.now())
        this.#log.warn({ file, validUntil: date.toISOString() }, 'a certificate has expired');
    }
  }

  #reportOnce(key: string, message: string): void {
    if (this.#lastErrors.get(key) === message) return;
    this.#lastErrors.set(key, message);
    this.#log.error(`${message} The former certificate stays in use.`);
  }
}

function keyOf({ certFile, keyFile }: CertificateFiles): string {
  return JSON.stringify([certFile, keyFile]);
}

function load(files: CertificateFiles): Certificate {
  const pair = pairOf(files);
  const [cert, key] = pair;
  try {
    const context = createSecureContext({ cert, key, minVersion });
    return { files, pair, context, validUntil: new Date(new X509Certificate(cert).validTo) };
  } catch (error) {
    const reason = (error as Error).message.replace(/^error:[^:]*:/, '');
    throw new ConfigError(
      `The certificate ${files.certFile} cannot be used with the key ${files.keyFile}: ${reason}.`,
      { cause: error },
    );
  }
}

function pairOf({ certFile, keyFile }: CertificateFiles): [cert: string, key: string] {
  return [textOf(certFile), textOf(keyFile)];
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file} cannot be read: ${fileErrorReason(error)}.`, { cause: error });
  }
}

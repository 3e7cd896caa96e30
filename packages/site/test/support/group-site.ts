/** Bundles with pages for groups, and the real server that serves them to readers of a trusted proxy. */
import { hash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { packEntries } from '../../../bundle/test/support/deltas.ts';
import {
  type Audiences,
  type ContentKey,
  contentKeyFrom,
  contentKeyText,
  manifestBytes,
  type PublicKey,
  publicKeyLine,
  publicKeyOf,
  seal,
  sealAudiences,
  sealedIndexPath,
  sealedPathOf,
  sign,
  type SigningKey,
  signingKeyFromSeed,
} from '@docyard/bundle';
import { cleanUp } from '../../../../test/cleanups.ts';
import { temporaryFolder } from '../../../../test/temporary-resources.ts';
import { startSite } from '../../src/start-site.ts';
import type { Files } from './served-releases.ts';

export const contentKey = contentKeyFrom(Buffer.alloc(32, 'content'));
export const otherContentKey = contentKeyFrom(Buffer.alloc(32, 'another'));
export const signingKey = signingKeyFromSeed(Buffer.alloc(32, 'signing'));
export const publicKey: PublicKey = publicKeyOf(signingKey);

export interface GroupFiles {
  isSignedIn?: boolean;
  groups: readonly string[];
  /** Everything that these readers see. */
  files: Files;
}

export interface GroupBundle {
  root: Files;
  audiences: readonly GroupFiles[];
  excludedGroups?: readonly string[];
  key?: ContentKey;
  /** Null for a bundle without a signature. */
  signedWith?: SigningKey | null;
  /** Changes the files of the bundle before they are listed and signed. */
  change?: (files: Record<string, Uint8Array>) => void;
}

export async function groupBundle(given: GroupBundle): Promise<Buffer> {
  const { root, audiences, excludedGroups = [], key = contentKey, signedWith = signingKey, change } = given;
  const files: Record<string, Uint8Array> = {};
  for (const [path, content] of Object.entries(root)) files[path] = Buffer.from(content);
  const listed: Audiences = {
    excludedGroups,
    audiences: audiences.map(({ isSignedIn = true, groups, files: own }) => ({
      isSignedIn,
      groups,
      files: entriesOf(own),
    })),
  };
  for (const { files: own } of audiences)
    for (const [path, content] of Object.entries(own)) {
      if (root[path] !== undefined && Buffer.from(root[path]).equals(Buffer.from(content))) continue;
      const sealedPath = sealedPathOf(key, hash('sha256', content));
      files[sealedPath] = seal(key, sealedPath, Buffer.from(content));
    }
  files[sealedIndexPath] = sealAudiences(key, listed);
  change?.(files);
  const manifest = manifestBytes({
    engineVersion: '1.0.0',
    version: null,
    commit: null,
    committedAt: null,
    access: { format: 1, keyId: key.keyId },
    pages: 1,
    files: entriesOf(files),
  });
  const signature =
    signedWith === null ? {} : { 'manifest.json.minisig': sign(signedWith, manifest, 'test') };
  return packEntries({ 'manifest.json': manifest, ...signature, ...files });
}

function entriesOf(files: Files) {
  return Object.entries(files).map(([path, content]) => ({
    path,
    sizeBytes: Buffer.byteLength(content),
    sha256: hash('sha256', content),
  }));
}

export interface GroupSite {
  port: number;
  dataDir: string;
  /** Installs another bundle. */
  offer(bundle: Uint8Array): void;
  /** `groups` is undefined for readers who have not signed in. */
  get(path: string, groups?: readonly string[]): Promise<{ status: number; text: string }>;
  readiness(): Promise<{ status: string; restrictedPages?: string; lastRefresh?: { detail?: string } }>;
  stop(): Promise<void>;
}

export interface GroupSiteOptions {
  bundle?: Uint8Array;
  dataDir?: string;
  /** Null for no key. */
  key?: ContentKey | null;
  isVerified?: boolean;
  environment?: Record<string, string>;
}

/** In mode `header`: the requests of the test are those of a trusted proxy. */
export async function startGroupSite({
  bundle,
  dataDir = temporaryFolder('site'),
  key = contentKey,
  isVerified = true,
  environment = {},
}: GroupSiteOptions = {}): Promise<GroupSite> {
  const folder = temporaryFolder('bundles');
  let offers = 0;
  const offer = (bytes: Uint8Array): void => {
    offers += 1;
    writeFileSync(join(folder, `bundle-${offers}.tar.gz`), bytes);
  };
  if (bundle !== undefined) offer(bundle);
  const running = await startSite({
    environment: {
      DATA_DIR: dataDir,
      PORT: '0',
      LOG_LEVEL: 'silent',
      STATIC_EXPORT_BUNDLE_URL: folder,
      STATIC_EXPORT_REFRESH_SECONDS: '1',
      ACCESS_MODE: 'header',
      ACCESS_TRUSTED_PROXIES: '127.0.0.1',
      ...(key === null ? {} : { ACCESS_CONTENT_KEY_FILE: contentKeyFile(key) }),
      ...(isVerified ? { STATIC_EXPORT_PUBLIC_KEY: publicKeyLine(publicKey) } : {}),
      ...environment,
    },
  });
  let isStopped = false;
  const stop = async (): Promise<void> => {
    if (isStopped) return;
    isStopped = true;
    await running.stop();
  };
  cleanUp(stop);
  const origin = `http://127.0.0.1:${running.port}`;
  // Hooks of a test file cannot use `eventually`.
  await vi.waitFor(async () => expect((await fetch(`${origin}/readyz`)).status).toBe(200), {
    timeout: 30_000,
    interval: 20,
  });
  return {
    port: running.port,
    dataDir,
    offer,
    stop,
    async get(path, groups) {
      const answer = await fetch(origin + path, { headers: readerHeaders(groups), redirect: 'manual' });
      return { status: answer.status, text: await answer.text() };
    },
    readiness: async () => (await (await fetch(`${origin}/readyz`)).json()) as never,
  };
}

export function readerHeaders(groups: readonly string[] | undefined): Record<string, string> {
  if (groups === undefined) return { Accept: 'text/html' };
  return { Accept: 'text/html', 'X-Forwarded-User': 'Ada', 'X-Forwarded-Groups': groups.join(',') };
}

export function contentKeyFile(key: ContentKey): string {
  const file = join(temporaryFolder('key'), 'content-key');
  writeFileSync(file, contentKeyText(key));
  return file;
}

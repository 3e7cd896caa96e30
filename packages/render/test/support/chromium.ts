import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

/** Undefined if Chromium is not installed. The headless shell draws no browser window, so it needs less time. */
export const chromiumPath = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);

if (chromiumPath === undefined)
  console.warn(
    'SKIPPED: tests in a browser, because Chromium is not installed (Debian package: chromium-headless-shell).',
  );

const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
  // The headless shell rounds the widths of letters otherwise.
  '--font-render-hinting=none',
  // A slow machine ends the animation of a scroll by a key before its target.
  '--disable-smooth-scrolling',
  // Only this machine can be resolved.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

export function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined)
    throw new Error('Chromium is not installed (Debian package: chromium-headless-shell).');
  return chromium.launch({ executablePath: chromiumPath, args: quiet });
}

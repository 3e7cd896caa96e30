import { existsSync } from 'node:fs';

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

/**
 * Runs in the exported page: takes the modules of a page as their scripts arrive, and makes the islands that use them
 * live. It runs before the other scripts of the page, so that it sees the islands as they were exported.
 */
import { endIslands, readPage, rememberIslands, startIslands } from './island.ts';
import { type Factory, Registry } from './registry.ts';

interface IslandScripts {
  define(id: string, factory: Factory): void;
  end(): void;
}

declare global {
  interface Window {
    docyardIslands?: IslandScripts;
  }
}

/** A preview runs the scripts of a page again on its new content; what the old content had running is ended first. */
window.docyardIslands?.end();

const registry = new Registry();
const scripts = document.querySelectorAll<HTMLScriptElement>('script[src*="_docyard/islands/"]');
const expectedModules = new Set(Array.from(scripts, ({ src }) => src)).size;
rememberIslands(document);
readPage();

window.docyardIslands = {
  define(id, factory) {
    if (registry.define(id, factory) === expectedModules) startIslands(document, registry);
  },
  end: endIslands,
};

/** A module whose script could not be loaded does not keep the others waiting for ever. */
document.addEventListener('DOMContentLoaded', () => startIslands(document, registry));

/**
 * The entry point in exported pages: receives modules as their scripts load and starts the islands that use
 * them. It runs before the page's other scripts, so that it sees the islands as exported.
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

/** A preview runs a page's scripts again on its new content, so the old islands are stopped first. */
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

/** A module that failed to load must not block the others. */
document.addEventListener('DOMContentLoaded', () => startIslands(document, registry));

import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { thinWire } from './thin-wire.ts';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/dashboard/',
  plugins: [thinWire(), react()],
  build: {
    outDir: '../dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page allows no inline code, and no other host.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        // What nearly every screen needs is one file: it compresses better (193 kB for the heaviest screen instead of 200),
        // and a change of screen loads a few kilobytes.
        codeSplitting: {
          groups: [
            { name: 'base', test: /\/node_modules\/|\/dashboard\/src\/(parts|app)\/|\/packages\/api\// },
          ],
        },
      },
    },
  },
});

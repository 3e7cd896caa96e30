import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { lateStyles } from './late-styles.ts';
import { thinWire } from './thin-wire.ts';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/dashboard/',
  plugins: [thinWire(), react(), lateStyles()],
  build: {
    outDir: '../server/dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page allows no inline code but that of index.html, and no other host.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        // A file for each area, not for each screen: small files compress badly (199 kB in all instead of 179).
        codeSplitting: {
          groups: [
            {
              name: 'base',
              test: /\/node_modules\/|\/dashboard\/src\/(frame|session|parts|api|edits)\/|\/packages\/api\//,
            },
            { name: 'exports', test: /\/screens\/exports\// },
            { name: 'agent', test: /\/screens\/agent\// },
            { name: 'gate', test: /\/screens\/gate\// },
            { name: 'organization', test: /\/screens\// },
          ],
        },
      },
    },
  },
});

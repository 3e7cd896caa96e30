import react from '@vitejs/plugin-react';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';
import { deferStylesheet } from './defer-stylesheet.ts';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/dashboard/',
  plugins: [react(), deferStylesheet()],
  build: {
    outDir: '../server/dist/dashboard',
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy allows no inline code besides that of index.html.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    rolldownOptions: {
      output: {
        // One file per area: many small files compress badly.
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

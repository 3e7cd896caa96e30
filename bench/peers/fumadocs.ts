/** Fumadocs on Next, exported as static files, with its built-in search as a static index. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { emptyFolder, installed, type Peer, writeFiles } from './peer.ts';

const files = {
  'package.json': '{ "private": true, "type": "module" }\n',
  'next.config.mjs': `import { createMDX } from 'fumadocs-mdx/next';
export default createMDX()({ output: 'export', turbopack: { root: import.meta.dirname + '/..' } });
`,
  'postcss.config.mjs': `export default { plugins: { '@tailwindcss/postcss': {} } };
`,
  'source.js': `import { loader } from 'fumadocs-core/source';
import { defineDocs } from 'fumadocs-mdx/macro';
const docs = defineDocs({ dir: 'content' });
export const source = loader({ baseUrl: '/', source: docs.toFumadocsSource() });
`,
  'app/global.css': `@import 'tailwindcss';
@import 'fumadocs-ui/css/neutral.css';
@import 'fumadocs-ui/css/preset.css';
`,
  'app/layout.jsx': `import './global.css';
import { RootProvider } from 'fumadocs-ui/provider/next';
import { DocsLayout } from 'fumadocs-ui/layouts/docs';
import { source } from '../source.js';
export default function Layout({ children }) {
  return (
    <html lang="en" suppressHydrationWarning>
      <body>
        <RootProvider search={{ options: { type: 'static' } }}>
          <DocsLayout tree={source.getPageTree()} nav={{ title: 'Corpus' }}>{children}</DocsLayout>
        </RootProvider>
      </body>
    </html>
  );
}
`,
  'app/[[...slug]]/page.jsx': `import { notFound } from 'next/navigation';
import defaultComponents from 'fumadocs-ui/mdx';
import { DocsBody, DocsDescription, DocsPage, DocsTitle } from 'fumadocs-ui/layouts/docs/page';
import { source } from '../../source.js';
export default async function Page({ params }) {
  const page = source.getPage((await params).slug);
  if (!page) notFound();
  const Content = page.data.body;
  return (
    <DocsPage toc={page.data.toc}>
      <DocsTitle>{page.data.title}</DocsTitle>
      <DocsDescription>{page.data.description}</DocsDescription>
      <DocsBody><Content components={defaultComponents} /></DocsBody>
    </DocsPage>
  );
}
export function generateStaticParams() {
  return source.generateParams();
}
export async function generateMetadata({ params }) {
  const page = source.getPage((await params).slug);
  return { title: page?.data.title, description: page?.data.description };
}
`,
  'app/api/search/route.js': `import { createFromSource } from 'fumadocs-core/search/server';
import { source } from '../../../source.js';
export const revalidate = false;
export const { staticGET: GET } = createFromSource(source);
`,
};

export const fumadocs: Peer = {
  id: 'fumadocs',
  name: 'Fumadocs',
  about: 'its default theme on Next, with search, exported as static files',
  isJavaScript: true,
  install,
  prepare(sources) {
    const home = install();
    /** Next writes only inside its folder. */
    const site = emptyFolder(join(home, 'site'));
    cpSync(sources, join(site, 'content'), { recursive: true });
    writeFiles(site, files);
    const program = join(home, 'node_modules/next/dist/bin/next');
    return { command: [process.execPath, program, 'build'], output: join(site, 'out'), cwd: site };
  },
};

function install(): string {
  return installed('fumadocs', {
    packages: [
      'fumadocs-core@16',
      'fumadocs-ui@16',
      'fumadocs-mdx@15',
      'next@16',
      'react@19',
      'react-dom@19',
      'tailwindcss@4',
      '@tailwindcss/postcss@4',
    ],
  });
}

/** Hugo without a theme: once with a minimal layout, once with a typical documentation layout. */
import { spawnSync } from 'node:child_process';
import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type Build, type Peer, writeFiles } from './peer.ts';

export const hugo: Peer = {
  id: 'hugo',
  name: 'Hugo, bare',
  about: 'a layout of a few lines around each page, highlighting, nothing else',
  isJavaScript: false,
  prepare: (sources, folder) => prepare(sources, folder, bareLayout),
};

export const hugoDocs: Peer = {
  id: 'hugo-docs',
  name: 'Hugo, documentation',
  about:
    'a layout with the pages of the section, table of contents, previous and next, highlighting; no search',
  isJavaScript: false,
  prepare: (sources, folder) => prepare(sources, folder, documentationLayout),
};

const bareLayout = {
  'config.toml': 'baseURL = "https://example.com/"\ntitle = "Corpus"\n',
  'layouts/_default/single.html':
    '<!doctype html><html lang="en"><head><title>{{ .Title }}</title></head><body><main><h1>{{ .Title }}</h1>{{ .Content }}</main></body></html>',
  'layouts/_default/list.html':
    '<!doctype html><html lang="en"><body><ul>{{ range .Pages }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>{{ end }}</ul></body></html>',
};

const documentationLayout = {
  'config.toml': `baseURL = "https://example.com/"
title = "Corpus"
[markup.highlight]
noClasses = false
[markup.tableOfContents]
endLevel = 4
`,
  'layouts/_default/baseof.html': `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ .Title }} – {{ .Site.Title }}</title>
{{ with .Description }}<meta name="description" content="{{ . }}">{{ end }}
<link rel="canonical" href="{{ .Permalink }}">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header><a href="/">{{ .Site.Title }}</a></header>
<nav aria-label="Sections"><ul>
{{ $page := . }}
{{ range .CurrentSection.RegularPages.ByTitle }}<li><a href="{{ .RelPermalink }}"{{ if eq . $page }} aria-current="page"{{ end }}>{{ .Title }}</a></li>
{{ end }}</ul></nav>
{{ block "main" . }}{{ end }}
</body>
</html>
`,
  'layouts/_default/single.html': `{{ define "main" }}<main>
<p><a href="{{ .CurrentSection.RelPermalink }}">{{ .CurrentSection.Title }}</a></p>
<h1>{{ .Title }}</h1>
{{ with .Description }}<p>{{ . }}</p>{{ end }}
{{ .Content }}
<footer>
{{ with .PrevInSection }}<a rel="prev" href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}
{{ with .NextInSection }}<a rel="next" href="{{ .RelPermalink }}">{{ .Title }}</a>{{ end }}
</footer>
</main>
<aside>{{ .TableOfContents }}</aside>{{ end }}
`,
  'layouts/_default/list.html': `{{ define "main" }}<main><h1>{{ .Title }}</h1>{{ .Content }}
<ul>{{ range .Pages }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>{{ end }}</ul></main>{{ end }}
`,
  'static/style.css':
    'body { display: grid; grid-template-columns: 16rem 1fr 14rem; font: 1rem/1.6 sans-serif; }\n',
};

function prepare(sources: string, folder: string, layout: Record<string, string>): Build {
  if (spawnSync('hugo', ['version']).status !== 0)
    throw new Error('it is not installed (Debian package: hugo)');
  cpSync(sources, join(folder, 'content'), { recursive: true });
  /** Hugo treats a folder with an `index.md` as a single page. */
  renameSync(join(folder, 'content/index.md'), join(folder, 'content/_index.md'));
  writeFiles(folder, layout);
  return { command: ['hugo', '--quiet'], output: join(folder, 'public'), cwd: folder };
}

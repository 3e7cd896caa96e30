/** Hugo, from the machine's packages: no theme, a layout of a few lines. */
import { spawnSync } from 'node:child_process';
import { cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { type Peer, writeFiles } from './peer.ts';

export const hugo: Peer = {
  id: 'hugo',
  name: 'Hugo',
  about: 'a layout of a few lines, no theme, no search',
  prepare(sources, folder) {
    if (spawnSync('hugo', ['version']).status !== 0)
      throw new Error('it is not installed (Debian package: hugo)');
    cpSync(sources, join(folder, 'content'), { recursive: true });
    /** A file called index would make all of the folder one page. */
    renameSync(join(folder, 'content/index.md'), join(folder, 'content/_index.md'));
    writeFiles(folder, {
      'config.toml': 'baseURL = "https://example.com/"\ntitle = "Corpus"\n',
      'layouts/_default/single.html':
        '<!doctype html><html lang="en"><head><title>{{ .Title }}</title></head><body><main><h1>{{ .Title }}</h1>{{ .Content }}</main></body></html>',
      'layouts/_default/list.html':
        '<!doctype html><html lang="en"><body><ul>{{ range .Pages }}<li><a href="{{ .RelPermalink }}">{{ .Title }}</a></li>{{ end }}</ul></body></html>',
    });
    return { command: ['hugo', '--quiet'], output: join(folder, 'public'), cwd: folder };
  },
};

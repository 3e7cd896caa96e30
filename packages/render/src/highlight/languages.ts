/** The languages code is coloured in, and the many names authors give them. */

/**
 * Always loaded, together and first: what others embed (front matter in Markdown, styles in HTML) or are copied from
 * (TypeScript from JavaScript). Loaded one by one, these would differ with the order in which pages are rendered.
 */
export const relatedLanguages =
  'markup css clike javascript regex yaml markdown json typescript jsx tsx mongodb'.split(' ');

export const languages = (
  'markup css clike javascript apacheconf awk bash basic batch bicep c cpp csharp clojure cmake csv cypher dart diff docker ruby ' +
  'elixir erlang fsharp gherkin git glsl go graphql groovy markup-templating handlebars haskell hcl http ini java json json5 jsx ' +
  'julia kotlin latex less liquid lua makefile markdown matlab mermaid mongodb nginx nix objectivec ocaml perl php powershell ' +
  'properties protobuf python django promql r rego regex rust sass scala scss solidity sparql sql swift systemd toml twig ' +
  'turtle typescript tsx vbnet vim wasm yaml zig'
).split(' ');

const names: Record<string, string> = {
  bash: 'curl console commandline command-line command shellscript shell-session shellsession sh-session bash-session terminal zsh fish ksh nushell nu cli prompt cmdline unix linux npm yarn pnpm',
  batch: 'cmd bat dos',
  powershell: 'ps ps1 pwsh',
  properties: 'env dotenv .env environment envrc',
  ini: 'conf config cfg gitconfig npmrc desktop ssh-config editorconfig',
  json: 'jsonl jsonlines ndjson ipynb geojson har webmanifest',
  json5: 'jsonc hjson',
  javascript: 'node nodejs mjs cjs deno ecmascript',
  typescript: 'mts cts',
  jsx: 'react javascriptreact',
  tsx: 'typescriptreact',
  markdown: 'mdx mdoc markdoc',
  markup: 'vue svelte astro angular svg xhtml xaml rss wsdl plist',
  go: 'golang gomod go-mod',
  hcl: 'terraform tf tfvars nomad',
  groovy: 'gradle jenkinsfile',
  kotlin: 'kts gradle-kotlin',
  python: 'py3 python3 starlark bazel bzl mojo vyper pycon python-repl',
  rust: 'rs cairo move noir',
  cpp: 'c++ cxx cc hpp arduino cuda',
  csharp: 'c# cshtml razor',
  fsharp: 'f#',
  objectivec: 'objective-c obj-c objectivec++',
  django: 'jinja jinja2 j2 njk nunjucks',
  handlebars: 'mustache',
  sql: 'psql pgsql plpgsql postgres postgresql mysql sqlite tsql plsql clickhouse bigquery snowflake soql cql',
  graphql: 'gql',
  yaml: 'helm k8s kubernetes compose docker-compose openapi',
  protobuf: 'proto proto3',
  docker: 'containerfile',
  makefile: 'make mk',
  diff: 'patch',
  perl: 'pl',
  elixir: 'ex exs heex',
  erlang: 'erl',
  haskell: 'hs',
  clojure: 'clj edn',
  latex: 'tex',
  wasm: 'wat',
  solidity: 'sol',
  julia: 'jl',
  vbnet: 'vb visual-basic',
  liquid: 'shopify',
};

const synonyms = new Map(
  Object.entries(names).flatMap(([language, others]) =>
    others.split(' ').map((other): [string, string] => [other, language]),
  ),
);

/** The name the highlighter knows a language by. */
export function languageName(written: string): string {
  const name = written.toLowerCase();
  return synonyms.get(name) ?? name;
}

/** Shells, in which `<name>` is something to fill in and `$ ` at the start of a line is a prompt. */
export function isShell(language: string): boolean {
  return ['bash', 'sh', 'shell', 'powershell', 'batch'].includes(languageName(language));
}

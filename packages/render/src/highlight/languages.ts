/** Languages that Prism highlights, under its names. YAML is for the front matter in Markdown. */
export const prismLanguages = (
  'apacheconf awk basic batch bicep c clojure cmake cpp csharp css csv cypher dart diff django docker elixir erlang fsharp ' +
  'gherkin git glsl go graphql groovy handlebars haskell hcl http ini java julia kotlin latex less liquid lua makefile ' +
  'markdown markup matlab mermaid nginx nix objectivec ocaml perl php powershell promql properties protobuf python r rego ' +
  'ruby rust sass scala scss solidity sparql sql swift systemd toml turtle twig vbnet vim wasm yaml zig'
).split(' ');

const names: Record<string, string> = {
  bash: 'sh shell curl console commandline command-line command shellscript shell-session shellsession sh-session bash-session terminal zsh fish ksh nushell nu cli prompt cmdline unix linux npm yarn pnpm',
  batch: 'cmd bat dos',
  powershell: 'ps ps1 pwsh',
  properties: 'env dotenv .env environment envrc',
  ini: 'conf config cfg gitconfig npmrc desktop ssh-config editorconfig',
  json: 'jsonl jsonlines ndjson ipynb geojson har webmanifest',
  json5: 'jsonc hjson',
  javascript: 'js mongodb node nodejs mjs cjs deno ecmascript',
  typescript: 'ts mts cts',
  jsx: 'react javascriptreact',
  tsx: 'typescriptreact',
  markdown: 'md mdx mdoc markdoc',
  markup: 'html xml mathml ssml atom vue svelte astro angular svg xhtml xaml rss wsdl plist',
  go: 'golang gomod go-mod',
  hcl: 'terraform tf tfvars nomad',
  groovy: 'gradle jenkinsfile',
  kotlin: 'kt kts gradle-kotlin',
  python: 'py py3 python3 starlark bazel bzl mojo vyper pycon python-repl',
  rust: 'rs cairo move noir',
  cpp: 'c++ cxx cc hpp arduino cuda',
  csharp: 'cs dotnet c# cshtml razor',
  fsharp: 'f#',
  objectivec: 'objc objective-c obj-c objectivec++',
  django: 'jinja jinja2 j2 njk nunjucks',
  handlebars: 'hbs mustache',
  sql: 'psql pgsql plpgsql postgres postgresql mysql sqlite tsql plsql clickhouse bigquery snowflake soql cql',
  graphql: 'gql',
  yaml: 'yml helm k8s kubernetes compose docker-compose openapi',
  protobuf: 'proto proto3',
  docker: 'dockerfile containerfile',
  makefile: 'make mk',
  diff: 'patch',
  perl: 'pl',
  elixir: 'ex exs heex',
  erlang: 'erl',
  haskell: 'hs',
  clojure: 'clj edn',
  latex: 'context tex',
  wasm: 'wat',
  solidity: 'sol',
  julia: 'jl',
  vbnet: 'vb visual-basic',
  liquid: 'shopify',
  turtle: 'trig',
  sparql: 'rq',
  ruby: 'rb',
  awk: 'gawk',
};

const synonyms = new Map(
  Object.entries(names).flatMap(([language, others]) =>
    others.split(' ').map((other): [string, string] => [other, language]),
  ),
);

export function languageName(written: string): string {
  const name = written.toLowerCase();
  return synonyms.get(name) ?? name;
}

/** In shells `<name>` is a placeholder and `$ ` at the start of a line is a prompt. */
export function isShell(language: string): boolean {
  return ['bash', 'powershell', 'batch'].includes(languageName(language));
}

/**
 * Code blocks for the corpus, in the languages that manuals are full of. They look like code and need not run.
 */
import type { Chance } from '../test/torture/chance.ts';

export function codeBlock(chance: Chance, words: readonly string[]): string {
  const word = () => chance.pick(words) ?? 'value';
  const number = () => Math.floor(chance.between(1, 5000));
  const [language, lines] = (chance.pick(blocks) ?? javascript)(word, number);
  return `\`\`\`${language}\n${lines.join('\n')}\n\`\`\``;
}

type Block = (word: () => string, number: () => number) => [language: string, lines: string[]];

const shell: Block = (word, number) => [
  'bash',
  [
    `# Create the ${word()} first`,
    `export ${word().toUpperCase()}_URL="https://api.example.com/v1/${word()}"`,
    `curl -sS -X POST "$${word().toUpperCase()}_URL" \\`,
    `  -H "Authorization: Bearer $TOKEN" \\`,
    `  -d '{"${word()}": ${number()}, "${word()}": "${word()}"}' | jq -r '.${word()}'`,
  ],
];

const javascript: Block = (word, number) => [
  'js',
  [
    `import { ${word()}Client } from '${word()}';`,
    '',
    `const client = new Client({ ${word()}: process.env.TOKEN, timeout: ${number()} });`,
    `for (const ${word()} of await client.list({ limit: ${number()} })) {`,
    `  if (entry.${word()} === '${word()}') continue; // already there`,
    `  console.log(\`\${entry.${word()}}: \${entry.${word()}}\`);`,
    '}',
  ],
];

const typescript: Block = (word, number) => [
  'ts',
  [
    `export interface Options {`,
    `  ${word()}: string;`,
    `  ${word()}?: number | undefined;`,
    '}',
    '',
    `/** Gives the ${word()} of a ${word()}. */`,
    `export async function read(options: Options): Promise<string[]> {`,
    `  const found = await fetch(\`/v1/\${options.${word()}}?limit=${number()}\`);`,
    `  if (!found.ok) throw new Error('The ${word()} was refused.');`,
    `  return (await found.json()) as string[];`,
    '}',
  ],
];

const python: Block = (word, number) => [
  'python',
  [
    'import os',
    `from ${word()} import Client`,
    '',
    `client = Client(token=os.environ["TOKEN"], retries=${number() % 10})`,
    '',
    `def ${word()}_by_${word()}(limit: int = ${number()}) -> list[str]:`,
    `    """Give the ${word()} of each ${word()}."""`,
    `    return [item["${word()}"] for item in client.list(limit=limit) if item["${word()}"] is not None]`,
  ],
];

const json: Block = (word, number) => [
  'json',
  [
    '{',
    `  "${word()}": "${word()}-${number()}",`,
    `  "${word()}": { "${word()}": ${number()}, "enabled": true },`,
    `  "items": [`,
    `    { "${word()}": "${word()}", "count": ${number()} },`,
    `    { "${word()}": "${word()}", "count": ${number()} }`,
    '  ]',
    '}',
  ],
];

const yaml: Block = (word, number) => [
  'yaml',
  [
    `${word()}:`,
    `  image: registry.example.com/${word()}:${number()}`,
    '  environment:',
    `    ${word().toUpperCase()}: "${word()}"`,
    `    LIMIT: ${number()}`,
    '  ports:',
    `    - "${number()}:80" # ${word()}`,
  ],
];

const go: Block = (word, number) => [
  'go',
  [
    `func handle${number()}(w http.ResponseWriter, r *http.Request) {`,
    `\t${word()}, err := store.Find(r.Context(), "${word()}", ${number()})`,
    '\tif err != nil {',
    `\t\thttp.Error(w, "no ${word()}", http.StatusNotFound)`,
    '\t\treturn',
    '\t}',
    `\tfmt.Fprintf(w, "%v\\n", ${word()})`,
    '}',
  ],
];

const sql: Block = (word, number) => [
  'sql',
  [
    `SELECT ${word()}, count(*) AS total`,
    `FROM ${word()}s`,
    `WHERE ${word()} > ${number()} AND ${word()} = '${word()}'`,
    `GROUP BY ${word()}`,
    'ORDER BY total DESC LIMIT 20;',
  ],
];

const blocks: readonly Block[] = [shell, shell, javascript, typescript, python, json, json, yaml, go, sql];
